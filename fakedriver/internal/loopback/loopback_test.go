// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package loopback_test

import (
	"net"
	"runtime"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/internal/loopback"
)

func TestFreeAddressStaysFree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system has one loopback address")
	}
	g := NewWithT(t)
	address := loopback.FreeAddress(t)
	host, port, err := net.SplitHostPort(address)
	g.Expect(err).NotTo(HaveOccurred())
	var config net.ListenConfig
	// It fails if the port is taken already, which is what the test needs.
	if other, err := config.Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
		defer func() { _ = other.Close() }()
	}
	server, err := config.Listen(t.Context(), "tcp", address)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.Close()).To(Succeed())

	next, _, err := net.SplitHostPort(loopback.FreeAddress(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(next).NotTo(Equal(host))
}
