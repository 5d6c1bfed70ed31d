"""A week of messages in Spanish and English over four channels, with noise between them."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import psycopg

from tests.support import Said, perceived
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.model.streams import DIARY
from thoth_substrate.perceive import streams
from thoth_substrate.triage.index import index

WHATSAPP, TELEGRAM, SLACK = (f"thoth.world.user_message.{name}" for name in ("whatsapp", "telegram", "slack"))
MAIL = "thoth.world.email"
REPLY = "thoth.self_action.assistant_response"
TOOL = "thoth.self_action.tool_result"
# Days ago, channel, session, who, what. The boiler is spoken of on WhatsApp and by mail; the rest on one channel each.
_TOLD: tuple[tuple[float, str, str, str, str], ...] = (
    (6.9, WHATSAPP, "Ortega", "Marta", "Hola, la caldera ha vuelto a fallar, no tenemos agua caliente."),
    (6.8, WHATSAPP, "Ortega", "Ortega", "El casero soy yo, mañana llamo al técnico."),
    (6.7, WHATSAPP, "status@broadcast", "Pepe", "¡Oferta! La caldera de tus sueños."),
    (6.0, WHATSAPP, "Ortega", "Marta", "<Sticker omitido>"),
    (5.9, WHATSAPP, "Ortega", "Marta", "👍👍"),
    (5.5, TELEGRAM, "familia", "Marta", "El pediatra: el 28 a las 10 con el Dr Ruiz, vacuna de Leo."),
    (5.0, SLACK, "ops", "Ben", "The deploy broke the payment service, rollback is running."),
    (4.0, MAIL, "thread-77", "ortega@pisos.example", "Invoice for the boiler repair: you are to pay half of it."),
    (3.5, TELEGRAM, "familia", "Abuela", "Os mando la receta de la paella, con azafrán."),
    (3.0, SLACK, "ops", "Ana", "<Media omitted>"),
    (2.5, TELEGRAM, "viaje", "Marta", "Vuelo a Lisboa TP1011 reservado, hotel en Alfama."),
    (2.0, TELEGRAM, "viaje", "Ben", "In Lisbon we could take the train to Sintra."),
    (1.5, TELEGRAM, "familia", "Leo", "jaja"),
    (0.5, MAIL, "thread-77", "marta@example", "I will not pay for the boiler, the landlord has to."),
)  # fmt: skip


async def week(db: Database, sql: psycopg.Connection) -> dict[str, list[UUID]]:
    """Perceive it all, told up to now; answers the slices of each channel/session, oldest first."""
    await streams.register(db)
    now = db.clock.now()
    await ensure(db, now - timedelta(days=31), 3)
    found: dict[str, list[UUID]] = {}
    for ago, stream, session, who, text in _TOLD:
        at = now - timedelta(days=ago)
        [one] = perceived(sql, at, [Said(text, actor=who, session=session, stream=stream, at=at, state="passed")])
        found.setdefault(f"{stream}/{session}", []).append(one)
    at = now - timedelta(days=3)
    perceived(
        sql, at, [Said("decided: boiler", session="diary", stream=DIARY, state="passed"),
                  Said('{"boiler": 1}', session="Ortega", stream=TOOL, state="passed")],
    )  # fmt: skip
    while (await index(db, limit_rows=500)).more:
        pass
    return found


def spoken(now: datetime, ago: float) -> datetime:
    """When something of so many days ago was said."""
    return now - timedelta(days=ago)
