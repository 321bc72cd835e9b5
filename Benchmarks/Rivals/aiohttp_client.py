import asyncio

import aiohttp
import task as common


async def main():
    task = common.words()
    connector = aiohttp.TCPConnector(limit=int(task["at-once"]))
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session:

        async def get():
            async with session.get(task["url"]) as response:
                await response.read()
                return response.status == 200

        await common.measure(get, task)


asyncio.run(main())
