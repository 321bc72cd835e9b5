#!/bin/bash
# kit.sh - starts and stops real servers and proxies on loopback for `make peers`.
#
#   ./kit.sh list                 the peers there are
#   ./kit.sh start PEER ...       starts them, prints NAME=PORT lines
#   ./kit.sh stop PEER ...        stops them (by recorded pid)
#   ./kit.sh start-all | stop-all
#   ./kit.sh env                  all NAME=PORT lines of the running peers (for eval or a test's setup)
#   ./kit.sh status               which are running
source "$(dirname "$0")/lib.sh"
ORDER="fault nginx httpbin haproxy squid tinyproxy mitmproxy socks"

start() {
  PEER=$1 DIR=$STATE/$1
  [ -f "$KIT/peers/$PEER.sh" ] || die "no peer '$PEER' (./kit.sh list)"
  if [ -f "$DIR/env" ]; then cat "$DIR/env"; return; fi
  mkdir -p "$DIR"
  (source "$KIT/peers/$PEER.sh"; up)
}

case ${1:-} in
  list) for p in $ORDER; do printf '%-11s %s\n' "$p" "$(sed -n '1s/^# //p' "$KIT/peers/$p.sh")"; done ;;
  start) shift; for p; do start "$p"; done ;;
  stop) shift; for p; do stop_peer "$p"; done ;;
  start-all) rc=0; for p in $ORDER; do (start "$p") || { echo "# $p did not start" >&2; rc=1; }; done; exit $rc ;;
  stop-all) for p in $(echo "$ORDER" | tr ' ' '\n' | tac); do stop_peer "$p"; done ;;
  env) cat "$STATE"/*/env 2>/dev/null || true; [ ! -f "$CERTS/index.json" ] || echo "CERT_DIR=$CERTS" ;;
  status) for p in $ORDER; do s=stopped; for f in "$STATE/$p"/*.pid; do if alive "$f"; then s=running; fi; done; echo "$p $s"; done ;;
  *) sed -n '2,/^source/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 2 ;;
esac
