"""A real exchange for tests and scripts in Python: the standard library is enough.

    from rialto_exchange import Exchange

    with Exchange(spot=["BTCUSDT"]) as exchange:
        alice = exchange.create_user(spot={"USDT": "1000"})
        alice.call("POST", "/api/v3/order", {...})

With pytest installed, this file is also a fixture: `from rialto_exchange import exchange`.
It starts `npx rialto start`; RIALTO_COMMAND names another command.
"""

import base64
import hashlib
import hmac
import json
import os
import shlex
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

READY_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
CALL_TIMEOUT_S = 30
QUOTE_ASSETS = ("USDT", "USDC", "BTC", "ETH")
INDEX_PRICES = {"BTC": "60000", "ETH": "3000"}
TIERS = [{"maxNotional": "1000000000", "maintenanceMarginRate": "0.005", "maxLeverage": 100}]


class Refused(Exception):
    """The exchange rejected a call: `status`, and the answer with its code and message."""

    def __init__(self, call, status, answer):
        super().__init__(f"{call} was refused ({status}): {answer}")
        self.status = status
        self.answer = answer


def send(method, url, headers, body):
    text = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, text, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=CALL_TIMEOUT_S) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        answer = refused.read().decode()
        raise Refused(f"{method} {url}", refused.code, answer) from None


class User:
    """An account with a key. `call` signs; `ccxt()` needs the package ccxt."""

    def __init__(self, exchange, uid, key):
        self.exchange = exchange
        self.uid = uid
        self.api_key = key["apiKey"]
        self.secret = key["secret"]
        self.passphrase = key["passphrase"]

    def call(self, method, path, body=None):
        """A call of the API; `path` includes the query. Raises `Refused`."""
        text = "" if body is None else json.dumps(body)
        timestamp = str(self.exchange.time_ms())
        signed = (timestamp + method + path + text).encode()
        digest = hmac.new(self.secret.encode(), signed, hashlib.sha256).digest()
        headers = {
            "ACCESS-KEY": self.api_key,
            "ACCESS-SIGN": base64.b64encode(digest).decode(),
            "ACCESS-TIMESTAMP": timestamp,
            "ACCESS-PASSPHRASE": self.passphrase,
        }
        return send(method, self.exchange.url + path, headers, body)

    def ccxt(self):
        import ccxt

        keys = {"apiKey": self.api_key, "secret": self.secret, "password": self.passphrase}
        return ccxt.weex({**keys, "urls": self.exchange.ready["urls"]})


class Exchange:
    """An empty sandbox exchange in a process of its own, on free ports, with its own data."""

    def __init__(self, spot=(), contracts=(), flags=()):
        self.folder = tempfile.TemporaryDirectory(prefix="rialto-python-")
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        command = shlex.split(os.environ.get("RIALTO_COMMAND", "npx rialto"))
        own = ["start", "--profile", "empty", "--sandbox", "--rate-limits", "off"]
        own += ["--port", "0", "--operator-port", "0", "--log-level", "warn", "--threads", "one"]
        own += ["--data-dir", os.path.join(self.folder.name, "data")]
        env = {name: text for name, text in os.environ.items() if not name.startswith("RIALTO_")}
        self.process = subprocess.Popen(
            [*command, *own, *flags], stdout=subprocess.PIPE, stderr=self.log, text=True, env=env
        )
        try:
            self.ready = self._read_ready_line()
            self.url = self.ready["urls"]["api"]["public"]
            self.clock_offset_ms = 0
            for symbol in spot:
                self._list_spot(symbol)
            for symbol in contracts:
                self._list_contract(symbol)
        except BaseException:
            self.stop()
            raise

    def _read_ready_line(self):
        deadline = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < deadline:
            line = self.process.stdout.readline()
            if line.startswith('{"event":"ready"'):
                return json.loads(line)
            if line == "":
                break
        self.log.seek(0)
        raise RuntimeError(f"the exchange did not start:\n{self.log.read()}")

    def operator(self, method, path, body=None):
        """A call of the operator API; `path` is below /operator/v1. Raises `Refused`."""
        url = f"http://127.0.0.1:{self.ready['operatorPort']}/operator/v1/{path}"
        return send(method, url, {"Authorization": f"Bearer {self.ready['operatorToken']}"}, body)

    def create_user(self, spot=None, contract=None, permissions=("read", "spot", "contract")):
        """Creates a user with funds, such as `spot={"USDT": "1000"}`, and a key."""
        uid = self.operator("POST", "users", {"kyc": True})["uid"]
        for account, funds in (("spot", spot), ("contract", contract)):
            for asset, amount in (funds or {}).items():
                deposit = {"id": f"{account}-{asset}", "account": account}
                deposit.update(asset=asset, amount=amount)
                self.operator("POST", f"users/{uid}/deposits", deposit)
        key = {"permissions": list(permissions), "passphrase": "passphrase-of-a-test"}
        return User(self, uid, {**key, **self.operator("POST", f"users/{uid}/api-keys", key)})

    def set_mark_price(self, symbol, price):
        """Pins the mark price; returns after triggers and liquidations. None unpins it."""
        return self.operator("PUT", f"sandbox/mark-prices/{symbol}", {"price": price})

    def advance_clock(self, ms):
        """Advances exchange time; funding, settlements and expiries due happen first."""
        clock = self.operator("POST", "sandbox/clock/advance", {"ms": ms})
        self.clock_offset_ms = clock["offsetMs"]
        return clock["time"]

    def time_ms(self):
        return int(time.time() * 1000) + self.clock_offset_ms

    def _list_spot(self, symbol):
        base, quote = self._list_assets(symbol)
        rules = {"baseAsset": base, "quoteAsset": quote, "tickSize": "0.01", "stepSize": "0.00001"}
        self.operator("PUT", f"markets/spot/{symbol}", rules)

    def _list_contract(self, symbol):
        base, quote = self._list_assets(symbol)
        rules = {"baseAsset": base, "quoteAsset": quote, "tickSize": "0.1", "stepSize": "0.001"}
        self.operator("PUT", f"markets/contract/{symbol}", {**rules, "tiers": TIERS})
        index = {"price": INDEX_PRICES.get(base, "100"), "force": True}
        self.operator("PUT", f"index-prices/{symbol}", index)

    def _list_assets(self, symbol):
        quote = next(asset for asset in QUOTE_ASSETS if symbol.endswith(asset) and symbol != asset)
        base = symbol[: -len(quote)]
        listed = {item["asset"]: item["coinId"] for item in self._assets()}
        for asset in (base, quote):
            if asset not in listed:
                listed[asset] = max(listed.values(), default=0) + 1
                about = {"coinId": listed[asset], "name": asset, "scale": 8}
                self.operator("PUT", f"assets/{asset}", about)
        return base, quote

    def _assets(self):
        return self.operator("GET", "assets?limit=1000")["items"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.stop()


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture
    def exchange():
        """An exchange with the spot market and the contract BTCUSDT, for one test."""
        with Exchange(spot=["BTCUSDT"], contracts=["BTCUSDT"]) as running:
            yield running
