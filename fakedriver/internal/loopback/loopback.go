// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package loopback provides tests with addresses for servers that they start later.
package loopback

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// addresses is the number of addresses that this process has used.
var addresses atomic.Uint32

// FreeAddress returns a TCP address of this machine that nothing uses. On Linux, nothing else
// takes it before the test does: other servers of tests, and clients, get free ports of
// 127.0.0.1, and the address has another host. The next server may well get a port of
// 127.0.0.1 that was free a moment ago.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	const hosts = 250
	process, n := os.Getpid(), int(addresses.Add(1))
	host := fmt.Sprintf("127.%d.%d.%d", 1+process/hosts%hosts, 1+process%hosts, 1+n%hosts)
	address, err := freeAddress(tb, host)
	if err != nil {
		// Other systems have 127.0.0.1 only.
		address, err = freeAddress(tb, "127.0.0.1")
	}
	if err != nil {
		tb.Fatal(err)
	}
	return address
}

func freeAddress(tb testing.TB, host string) (string, error) {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("find a free address: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}
