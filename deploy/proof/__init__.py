"""The proof of the dashboards: a real Prometheus scrapes a real proxy while agents work, then answers every panel.

    python -m deploy.proof

It needs the `prometheus` binary (Debian: `apt-get install prometheus`), stays on loopback, takes about 40 seconds, and
ends with 1 if a query of a panel has no data or a rule cannot be evaluated. What only failures show is made to fail.
"""
