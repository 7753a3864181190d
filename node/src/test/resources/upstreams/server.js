// A server of one kind with the resources of PathsToUpstreamsTest: node server.js KIND. Prints its port.
const kind = process.argv[2];
const LIMITED = 'limited';
const OPEN = 'open';

function listening(server) {
  server.on('listening', () => console.log('port ' + server.address().port));
}

function plain(path) {
  if (path === '/api/login' || path.startsWith('/api/orders/') || path.startsWith('/vault/')) {
    return LIMITED;
  }
  const parts = path.split('/');
  const keys = parts.length === 5 && parts[1] === 'admin' && parts[2] === 'users' && parts[4] === 'keys';
  return keys || (parts.length === 3 && parts[1] === 'files' && parts[2] !== 'me') ? LIMITED : OPEN;
}

function routed(app, wildcard) {
  app.get('/api/login', (request, response) => response.send(LIMITED));
  app.get('/api/orders/' + wildcard, (request, response) => response.send(LIMITED));
  app.get('/vault/' + wildcard, (request, response) => response.send(LIMITED));
  app.get('/admin/users/:user/keys', (request, response) => response.send(LIMITED));
  app.get('/files/me', (request, response) => response.send(OPEN));
  app.get('/files/:name', (request, response) => response.send(LIMITED));
}

const kinds = {
  http() {
    const server = require('node:http').createServer((request, response) =>
      response.end(plain(request.url.split('?')[0])));
    listening(server.listen(0, '127.0.0.1'));
  },
  'http-url'() {
    const server = require('node:http').createServer((request, response) => {
      try {
        response.end(plain(decodeURIComponent(new URL(request.url, 'http://localhost').pathname)));
      } catch {
        response.writeHead(400).end();
      }
    });
    listening(server.listen(0, '127.0.0.1'));
  },
  express() {
    const app = require('express')();
    routed(app, '*rest');
    app.use((request, response) => response.send(OPEN));
    listening(app.listen(0, '127.0.0.1'));
  },
  express4() {
    const app = require('express4')();
    routed(app, '*');
    app.use((request, response) => response.send(OPEN));
    listening(app.listen(0, '127.0.0.1'));
  },
  fastify: () => fastify('fastify'),
  fastify4: () => fastify('fastify4'),
  koa() {
    const Router = require('@koa/router').Router ?? require('@koa/router');
    const app = new (require('koa'))();
    const router = new Router();
    const limited = (context) => { context.body = LIMITED; };
    router.get('/api/login', limited);
    router.get('/api/orders/{*rest}', limited);
    router.get('/vault/{*rest}', limited);
    router.get('/admin/users/:user/keys', limited);
    router.get('/files/me', (context) => { context.body = OPEN; });
    router.get('/files/:name', limited);
    app.use(router.routes());
    app.use((context) => { context.body = OPEN; });
    listening(app.listen(0, '127.0.0.1'));
  },
  hono() {
    const { Hono } = require('hono');
    const app = new Hono();
    app.get('/files/me', (context) => context.text(OPEN));
    for (const path of ['/api/login', '/api/orders/*', '/vault/*', '/admin/users/:user/keys', '/files/:name']) {
      app.get(path, (context) => context.text(LIMITED));
    }
    app.notFound((context) => context.text(OPEN));
    listening(require('@hono/node-server').serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
  },
};

function fastify(module) {
  const app = require(module)();
  routed(app, '*');
  app.setNotFoundHandler((request, reply) => reply.send(OPEN));
  listening(app.server);
  app.listen({ port: 0, host: '127.0.0.1' });
}

kinds[kind]();
