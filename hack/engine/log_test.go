// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWithLog(t *testing.T) {
	g := NewWithT(t)
	cause := errors.New("dockerd has ended")
	path := filepath.Join(t.TempDir(), "dockerd.log")
	g.Expect(withLog(cause, path)).To(MatchError(ContainSubstring("its log cannot be read")))

	write(path, "first\n"+strings.Repeat("more\n", logLines-1)+
		"time=\"2026-01-01\" level=info msg=\"ready\"\nfailed to start daemon: no iptables\n")
	err := withLog(cause, path)
	g.Expect(err).To(MatchError(cause))
	g.Expect(err.Error()).To(Equal("dockerd has ended\nlast lines of " + path + ":\n" +
		strings.Repeat("  more\n", logLines-1) + "  failed to start daemon: no iptables"))
}
