"""Descriptions of code: its effects, including called functions, most severe first."""

from pathlib import Path

import pytest

from octavo.v4.code.effects import Describer
from octavo.v4.code.sources import Sources
from tests.models.v4_project import write_files

FILES = {
    "src/helpers/mail.js": "exports.confirm = async (to) => strapi.plugins.email.services.email.send({ to })",
    "src/helpers/api.js": "const axios = require('axios')\nconst api = axios.create()\nexports.ping = () => api.get()",
    "src/helpers/clean.js": """
async function old() { return strapi.db.query('api::order.order').deleteMany({}) }
module.exports = { async run() { await old(); await module.exports.run() } }""",
    "src/api/order/services/order.js": """
module.exports = ({ strapi }) => ({
  async close(id) { return this.store(id) },
  async store(id) { return strapi.entityService.update('api::order.order', id, {}) },
  async pick(x) { return strapi.service('api::order.order')(x) },
})""",
    "src/plugins/shop/strapi-server.js": "module.exports = require('./server')",
    "src/plugins/shop/server/index.js": "module.exports = { services: { tax: require('./tax') } }",
    "src/plugins/shop/server/tax.js": "module.exports = () => ({ rates: () => fetch('https://tax.example') })",
}
CASES = {
    "const { confirm } = require('../src/helpers/mail')\nmodule.exports = async (event) => confirm(event.result)": (
        "sends mail"
    ),
    "module.exports = () => require('../src/helpers/clean').run()": "deletes entries",
    "module.exports = async () => strapi.service('api::order.order').close(1)": "writes entries",
    "const api = require('../src/helpers/api')\nmodule.exports = async () => api.ping()": "sends HTTP requests",
    "module.exports = async ({ strapi }) => strapi.plugin('shop').service('tax').rates()": "sends HTTP requests",
    "module.exports = async () => { await strapi.webhookStore.createWebhook({}) }": "creates webhooks",
    "module.exports = async (ctx) => ctx.send({ ok: true })": "sets the response",
    "module.exports = async () => { const all = await strapi.db.query('x').findMany(); all.map(send)\n"
    "async function send(one) { await strapi.plugin('email').service('email').send(1) } }": "sends mail; reads entries",
    "module.exports = async (ctx) => { if (!ctx.id) throw new Error(); await strapi.entityService.findMany('x') }": (
        "reads entries; can reject"
    ),
    "const Stripe = require('stripe')\nconst api = new Stripe('k')\nmodule.exports = () => api.charges.create()": (
        "sends HTTP requests"
    ),
    "module.exports = async (x) => strapi.service('api::order.order').pick(x)": (
        "calls the service that a function returns"
    ),
    "module.exports = async () => strapi.service('api::other.other').run()": "calls the service function run",
    "module.exports = () => 1": "custom code",
}


@pytest.mark.parametrize("code", CASES)
def test_effects_are_described_through_calls(tmp_path: Path, code: str) -> None:
    write_files(tmp_path, {**FILES, "config/task.js": code})
    sources = Sources(tmp_path)
    module = sources.module(tmp_path / "config/task.js")
    assert module is not None
    value = sources.exported(module)
    assert value is not None
    assert Describer(sources).describe(module, value) == CASES[code]
