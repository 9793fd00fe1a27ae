"""The desk of the shop: one customer, one to three wishes, each found, proposed, agreed and done."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.sessions.tools import tool
from benchmarks.sessions.transcript import Call, Transcript
from benchmarks.sessions.world import Record, World, world

_YES = ("Yes, please.", "Yes, go ahead.", "That is right, yes.", "Yes. Thank you.")
_NEXT = ("One more thing. {wish}", "Good. And then: {wish}", "Thanks. {wish}")


def service_tools() -> list[dict[str, Any]]:
    """What the desk can look up and change."""
    order, items = "string, number of the order, as KO-1234567", "array, numbers of the variants in the order"
    pay, trip = "string, number of the way to pay", "string, the code of the trip, six signs"
    new = "array, numbers of the new variants, in the same order"
    return [
        tool("find_by_email", "The customer's number by the address of the account.", email="string, the address"),
        tool("find_by_name", "The same by name.", first="string, name", last="string, name", postcode="string, code"),
        tool("customer_record", "All that is known of a customer.", customer_id="string, the customer's number"),
        tool("order_record", "An order with items, parcels and payments.", order_id=order),
        tool("article_index", "Every kind of article and its number."),
        tool("article_record", "A kind of article with all its variants.", article_id="string, eight digits"),
        tool("trip_record", "A trip with its legs and travellers.", trip=trip),
        tool("flights", "What flies on a day.", origin="string, airport", destination="string, airport",
             date="string, as 2031-06-01"),
        tool("change_items", "Other variants in an order that waits.", order_id=order, items=items, new_items=new,
             way_to_pay=pay),
        tool("exchange_items", "Other variants for delivered ones.", order_id=order, items=items, new_items=new,
             way_to_pay=pay),
        tool("return_items", "Take delivered items back.", order_id=order, items=items, way_to_pay=pay),
        tool("cancel_order", "Cancel an order that waits.", order_id=order, reason="string, one of the two"),
        tool("move_trip", "Another flight for a leg.", trip=trip, leg="integer, 1 or 2", flight="string, its number",
             date="string, its day", way_to_pay=pay),
        tool("calculate", "The value of a sum.", sum="string, numbers and + - * / ( )"),
    ]  # fmt: skip


def service_session(seed: str, count: Callable[[str], int]) -> Transcript:
    """A conversation of 8 to 25 answers."""
    rng = random.Random(f"service {seed}")
    transcript = Transcript(service_tools(), rng, count)
    transcript.system(Path(__file__).with_name("texts").joinpath("service.md").read_text())
    Desk(transcript, world(rng)).serve(rng.randint(1, 3))
    return transcript


@dataclass
class Desk:
    """The agent at the desk and the customer before it."""

    transcript: Transcript
    world: World

    @property
    def random(self) -> random.Random:
        return self.transcript.random

    def serve(self, wishes: int) -> None:
        waiting, delivered, other, _ = self.world.orders.values()
        every = [lambda: self._change(waiting, "change_items"), lambda: self._change(delivered, "exchange_items"),
                 lambda: self._cancel(other), self._move, self._question]  # fmt: skip
        chosen = self.random.sample(every, wishes)
        self._identify()
        for wish in chosen:
            wish()
        self.transcript.user("No, that was all. Goodbye.")
        self.transcript.say(f"You are welcome, {self.world.customer['name']['first']}. Goodbye.")

    def ask(self, tool: str, found: object, **arguments: Any) -> None:
        self.transcript.act("", Call(tool, arguments, json.dumps(found, ensure_ascii=False)))

    def agree(self, proposal: str) -> None:
        """The agent says what it would do; the customer says yes."""
        self.transcript.say(f"{proposal} Shall I go on? (yes or no)")
        self.transcript.user(self.random.choice(_YES))

    def wish(self, text: str) -> None:
        self.transcript.user(self.random.choice(_NEXT).format(wish=text))

    def _identify(self) -> None:
        """By the address of the account, or by name and postcode where the customer has forgotten it."""
        customer = self.world.customer
        name, postcode, found = customer["name"], customer["address"]["postcode"], customer["customer_id"]
        self.transcript.user("Hello, I need some help with what I have bought.")
        self.transcript.say("Gladly. Which e-mail address does your account have?")
        if self.random.random() < 0.3:
            self.transcript.user("I cannot remember.")
            self.transcript.say("Then please give me your full name and postcode.")
            self.transcript.user(f"{name['first']} {name['last']}, {postcode}.")
            self.ask("find_by_name", {"customer_id": found}, **name, postcode=postcode)
        else:
            self.transcript.user(f"{customer['email']}, I think.")
            self.ask("find_by_email", {"customer_id": found}, email=customer["email"])
        self.ask("customer_record", customer, customer_id=found)
        self.transcript.say(f"Thank you, {name['first']}. What can I do for you?")

    def _change(self, order: Record, tool: str) -> None:
        """Another variant of an item, in an order that waits or has arrived."""
        item = self.random.choice(order["items"])
        held, number, way = item["variant_id"], order["order_id"], order["payments"][0]["way_to_pay"]
        self.wish(f"The {item['name'].lower()} that I ordered is not what I need. Can I have it otherwise?")
        self.ask("order_record", order, order_id=number)
        self.ask("article_record", self.world.articles[item["article_id"]], article_id=item["article_id"])
        new = self._other(item["article_id"], held)
        difference = round(new["price"] - item["price"], 2)
        self.ask("calculate", f"{difference:.2f}", sum=f"{new['price']} - {item['price']}")
        options = ", ".join(f"{key} {value}" for key, value in new["options"].items())
        pays = f"you pay {difference:.2f}" if difference > 0 else f"you get {-difference:.2f} back"
        self.agree(
            f"Order {number} holds variant {held} at {item['price']}. In stock is {new['variant_id']} ({options}) "
            f"at {new['price']}: {pays}, with {way}."
        )
        item |= {key: new[key] for key in ("variant_id", "options", "price")}
        order["state"] += " (changed)"
        order["payments"].append({"kind": "difference", "amount": difference, "way_to_pay": way})
        self.ask(tool, order, order_id=number, items=[held], new_items=[new["variant_id"]], way_to_pay=way)
        self.transcript.say(f"Done: {new['variant_id']} is now in order {number}; {pays}. Anything else?")

    def _cancel(self, order: Record) -> None:
        self.wish(f"I do not need the order with the {order['items'][-1]['name'].lower()} any more.")
        self.ask("order_record", order, order_id=order["order_id"])
        total, way = order["payments"][0]["amount"], order["payments"][0]["way_to_pay"]
        self.agree(f"Order {order['order_id']} over {total} waits still. I would cancel it as not needed, to {way}.")
        order |= {"state": "cancelled", "reason": "not needed"}
        self.ask("cancel_order", order, order_id=order["order_id"], reason="not needed")
        self.transcript.say(f"Order {order['order_id']} is cancelled; {total} goes back to {way}. Anything else?")

    def _move(self) -> None:
        """Another flight for the first leg of a trip."""
        trip = self.random.choice(list(self.world.trips.values()))
        code, leg, fare, way = trip["trip"], trip["legs"][0], trip["fare"], trip["way_to_pay"]
        day = f"2031-06-{self.random.randint(1, 13):02}"
        self.wish(f"I would like to fly to {leg['to']} on {day} instead.")
        self.ask("trip_record", trip, trip=code)
        found = self.world.flights(leg["from"], leg["to"], day, self.random.randint(6, 18))
        self.ask("flights", found, origin=leg["from"], destination=leg["to"], date=day)
        free = [one for one in found if one["fares"][fare]["free_seats"] >= len(trip["travellers"])]
        flight = self.random.choice(free or found)
        number, price = flight["flight"], flight["fares"][fare]["price"]
        fee = 0 if fare == "flex" or self.world.customer["tier"] == "gold" else 35
        self.agree(
            f"{number} leaves {leg['from']} at {flight['departs']} and costs {price} in {fare}, with a fee of {fee} "
            f"for each traveller; it would take the place of {leg['flight']} in trip {code}, paid with {way}."
        )
        leg |= {key: flight[key] for key in ("flight", "date", "departs", "arrives")}
        self.ask("move_trip", trip, trip=code, leg=1, flight=number, date=day, way_to_pay=way)
        self.transcript.say(f"Trip {code} now has {number} on {day}. Anything else?")

    def _question(self) -> None:
        """What an article costs."""
        article = self.random.choice(list(self.world.articles.values()))
        self.wish(f"What does the cheapest {article['name'].lower()} cost that you have, and two of the dearest?")
        self.ask("article_index", {one["name"]: number for number, one in self.world.articles.items()})
        self.ask("article_record", article, article_id=article["article_id"])
        ranked = sorted(article["variants"].values(), key=lambda one: float(one["price"]))
        cheap, dear = ranked[0], ranked[-1]
        self.ask("calculate", f"{2 * dear['price']:.2f}", sum=f"2 * {dear['price']}")
        self.transcript.say(
            f"The cheapest is {cheap['variant_id']} at {cheap['price']}, from {cheap['warehouse']}. Two of "
            f"{dear['variant_id']} are {2 * dear['price']:.2f}. Anything else?"
        )

    def _other(self, article: str, held: str) -> Record:
        """Another variant of an article, in stock if any is."""
        others = [one for number, one in self.world.variants(article).items() if number != held]
        return self.random.choice([one for one in others if one["stock"]] or others)
