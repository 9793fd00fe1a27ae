"""A shop for the outdoors that also books flights: customers, orders, articles, trips, made from a seed."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]

FIRST = (
    "Mara",
    "Eskil",
    "Ingunn",
    "Tobias",
    "Freya",
    "Joris",
    "Sunniva",
    "Anselm",
    "Katla",
    "Ruben",
    "Linnea",
    "Oskar",
)
LAST = ("Haugland", "Verbeek", "Lindahl", "Sorensen", "Mackay", "Brandt", "Aalto", "Thorsdottir", "Nygaard", "Dekker")
STREETS = ("Quay Street", "Mill Lane", "Birch Road", "Harbour Steps", "Chapel Hill", "Foundry Row", "Larch Way")
TOWNS = (
    ("Bergen", "5003", "Norway"),
    ("Uppsala", "75310", "Sweden"),
    ("Aarhus", "8000", "Denmark"),
    ("Turku", "20100", "Finland"),
    ("Inverness", "IV11AA", "Scotland"),
    ("Groningen", "9711", "Netherlands"),
)
KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "Ridge tent": {"sleeps": ("1", "2", "3"), "colour": ("moss", "rust"), "poles": ("aluminium", "carbon")},
    "Down jacket": {"size": ("XS", "S", "M", "L", "XL"), "colour": ("navy", "ochre", "slate"), "hood": ("yes", "no")},
    "Trail shoe": {"size": ("38", "40", "42", "44"), "width": ("normal", "wide"), "sole": ("soft", "hard")},
    "Head lamp": {"lumen": ("250", "400", "900"), "power": ("cell", "usb"), "colour": ("black", "red")},
    "Sleeping bag": {"comfort": ("+5 C", "-2 C", "-12 C"), "length": ("short", "long"), "fill": ("down", "synthetic")},
    "Rucksack": {"litres": ("28", "45", "65"), "back": ("short", "long"), "colour": ("moss", "black", "rust")},
    "Water filter": {"litres per minute": ("0.5", "1", "2"), "bag": ("1 l", "3 l")},
    "Trekking pole": {"length": ("110 cm", "120 cm", "135 cm"), "grip": ("cork", "foam"), "sold as": ("one", "pair")},
}
AIRPORTS = ("BGO", "TOS", "KEF", "INV", "RVN", "LYR")


@dataclass(frozen=True, slots=True)
class World:
    """Everything that the desk's tools can find, by number."""

    random: random.Random
    articles: dict[str, Record]
    customer: Record
    orders: dict[str, Record]
    trips: dict[str, Record]

    def variants(self, article: str) -> dict[str, Record]:
        found: dict[str, Record] = self.articles[article]["variants"]
        return found

    def flights(self, origin: str, destination: str, date: str, count: int) -> list[Record]:
        """What flies that day, in order of departure."""
        starts = sorted(self.random.sample(range(5 * 60, 22 * 60, 5), count))
        return [_flight(self.random, origin, destination, date, start) for start in starts]


def world(rng: random.Random) -> World:
    """A customer with four orders and two trips, in a shop with all kinds of articles."""
    articles = dict(_article(rng, name, options) for name, options in KINDS.items())
    customer = _customer(rng)
    states = ("waiting", "delivered", "waiting", "sent")
    orders = dict(_order(rng, articles, customer, state) for state in states)
    trips = dict(_trip(rng, customer, fare) for fare in ("standard", "flex"))
    customer |= {"orders": list(orders), "trips": list(trips)}
    return World(rng, articles, customer, orders, trips)


def digits(rng: random.Random, count: int) -> str:
    return str(rng.randrange(10 ** (count - 1), 10**count))


def _article(rng: random.Random, name: str, options: dict[str, tuple[str, ...]]) -> tuple[str, Record]:
    base, number = rng.randint(30, 340), digits(rng, 8)
    variants = {}
    for chosen in itertools.product(*options.values()):
        variant = digits(rng, 10)
        variants[variant] = {
            "variant_id": variant,
            "options": dict(zip(options, chosen, strict=True)),
            "price": round(base * rng.uniform(0.85, 1.3), 2),
            "stock": rng.choice((0, 2, 7, 19, 46)),
            "warehouse": rng.choice(("BGO-2", "GOT-1", "ABZ-4")),
        }
    return number, {"article_id": number, "name": name, "variants": variants}


def _customer(rng: random.Random) -> Record:
    first, last, (town, postcode, country) = rng.choice(FIRST), rng.choice(LAST), rng.choice(TOWNS)
    return {
        "customer_id": f"{first}-{last}-{digits(rng, 5)}".lower(),
        "name": {"first": first, "last": last},
        "email": f"{first}.{last}{digits(rng, 3)}@example.net".lower(),
        "address": {
            "street": f"{rng.choice(STREETS)} {rng.randint(1, 190)}",
            "floor": f"flat {rng.randint(1, 40)}",
            "town": town,
            "postcode": postcode,
            "country": country,
        },
        "tier": rng.choice(("plain", "silver", "gold")),
        "ways_to_pay": [
            {"id": f"card-{digits(rng, 7)}", "type": "card", "brand": "visa", "last_four": digits(rng, 4)},
            {"id": f"gift-{digits(rng, 7)}", "type": "gift balance", "balance": round(rng.uniform(20, 300), 2)},
        ],
    }


def _order(rng: random.Random, articles: dict[str, Record], customer: Record, state: str) -> tuple[str, Record]:
    items = []
    for article in rng.sample(sorted(articles), rng.randint(2, 4)):
        variant = rng.choice(list(articles[article]["variants"].values()))
        items.append({"name": articles[article]["name"], "article_id": article, "variant_id": variant["variant_id"],
                      "options": variant["options"], "price": variant["price"]})  # fmt: skip
    number, month = f"KO-{digits(rng, 7)}", 5 if state == "waiting" else 4
    sent = {} if state == "waiting" else {"tracking": digits(rng, 12), "carrier": "Northpost", "items": len(items)}
    total = round(sum(item["price"] for item in items), 2)
    return number, {
        "order_id": number, "customer_id": customer["customer_id"], "state": state,
        "placed": f"2031-0{month}-{rng.randint(1, 13):02}", "address": customer["address"], "items": items,
        "parcels": [sent] if sent else [],
        "payments": [{"kind": "payment", "amount": total, "way_to_pay": customer["ways_to_pay"][0]["id"]}],
    }  # fmt: skip


def _trip(rng: random.Random, customer: Record, fare: str) -> tuple[str, Record]:
    origin, destination = rng.sample(AIRPORTS, 2)
    out, back = rng.randint(2, 12), rng.randint(14, 28)
    legs = [
        _flight(rng, origin, destination, f"2031-06-{out:02}", rng.randrange(360, 1200, 5)),
        _flight(rng, destination, origin, f"2031-06-{back}", rng.randrange(360, 1200, 5)),
    ]
    code = "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6))
    travellers = [customer["name"], {"first": rng.choice(FIRST), "last": customer["name"]["last"]}][: rng.randint(1, 2)]
    flown = [{key: leg[key] for key in ("flight", "date", "from", "to", "departs", "arrives")} for leg in legs]
    paid = round(sum(leg["fares"][fare]["price"] for leg in legs) * len(travellers), 2)
    return code, {"trip": code, "customer_id": customer["customer_id"], "fare": fare, "legs": flown, "bags": 1,
                  "travellers": travellers, "paid": paid, "way_to_pay": customer["ways_to_pay"][0]["id"]}  # fmt: skip


def _flight(rng: random.Random, origin: str, destination: str, date: str, start: int) -> Record:
    end, base = start + rng.randrange(65, 190, 5), rng.uniform(60, 210)
    fares = {
        fare: {"price": round(base * times, 2), "free_seats": rng.randint(0, 14)}
        for fare, times in (("basic", 1.0), ("standard", 1.35), ("flex", 1.9))
    }
    return {"flight": f"KW{digits(rng, 4)}", "date": date, "from": origin, "to": destination,
            "departs": _clock(start), "arrives": _clock(end), "status": "on sale", "fares": fares}  # fmt: skip


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
