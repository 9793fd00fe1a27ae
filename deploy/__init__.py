"""What runs Forebay for others: container, Compose, Kubernetes, Prometheus rules, Grafana dashboards.

Dashboards are made by code (`python -m deploy.dashboards`), and so is the Prometheus operator's form of the rules.
`python -m deploy.proof` shows that every panel's query has data behind it.
"""
