# HAProxy: no backend (503), short time-outs (504), tarpit (500), a backend that fails at will (502)
up() {
  need haproxy
  local fault
  fault=$(offered fault FAULT_HTTP)
  ports DOWN SHORT TARPIT FLAKY
  cat >"$DIR/haproxy.cfg" <<CONF
global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
frontend down
  bind 127.0.0.1:$DOWN
  default_backend down
frontend short
  bind 127.0.0.1:$SHORT
  timeout client 1s
  timeout http-request 1s
  default_backend slow
frontend tarpit
  bind 127.0.0.1:$TARPIT
  timeout tarpit 3s
  http-request tarpit deny_status 500
  default_backend fault
frontend flaky
  bind 127.0.0.1:$FLAKY
  default_backend fault
backend down
  server d 127.0.0.1:1
backend slow
  timeout server 1s
  server f 127.0.0.1:$fault
backend fault
  http-reuse always
  server f 127.0.0.1:$fault
CONF
  spawn haproxy haproxy -db -f "$DIR/haproxy.cfg"
  await "$DOWN"
  local n
  for n in DOWN SHORT TARPIT FLAKY; do offer "HAPROXY_$n" "${!n}"; done
}
