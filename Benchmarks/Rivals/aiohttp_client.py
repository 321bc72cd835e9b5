import asyncio
import json

import aiohttp
import orjson
import task as common


async def main():
    task = common.words()
    connector = aiohttp.TCPConnector(limit=int(task["at-once"]))
    parse = {"json": json.loads, "orjson": orjson.loads}.get(task.get("parser"))
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session:

        async def get():
            async with session.get(task["url"]) as response:
                body = await response.read()
                if parse is not None:
                    parse(body)
                return response.status == 200

        await common.measure(get, task)


asyncio.run(main())
