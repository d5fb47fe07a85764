// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

func TestServesUntilTheContextEnds(t *testing.T) {
	g := NewWithT(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	address := listener.Addr().String()
	g.Expect(listener.Close()).To(Succeed())
	tokenFile := filepath.Join(t.TempDir(), "token")
	g.Expect(os.WriteFile(tokenFile, []byte("the-token\n"), 0o600)).To(Succeed())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--driver=a.example.com", "--driver=b.example.com", "--address=" + address, "--token-file=" + tokenFile}, io.Discard)
	}()
	ping := func() (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+api.PathPing, bytes.NewReader([]byte("{}")))
		g.Expect(err).NotTo(HaveOccurred())
		request.Header.Set(api.TokenHeader, "the-token")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}
	g.Eventually(ping, "20s", "20ms").Should(Equal(http.StatusOK))
	cancel()
	g.Eventually(ended, "20s").Should(Receive(BeNil()))
}

func TestInvalidArguments(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for part, args := range map[string][]string{
		"flag provided but not defined": {"--drivers=a"},
		`unexpected argument "a"`:       {"a"},
		"read the token":                {"--driver=a.example.com"},
		"the token is empty":            {"--driver=a.example.com", "--token-file=" + empty},
		"there is no driver":            {"--token-file=" + empty},
	} {
		NewWithT(t).Expect(run(t.Context(), args, io.Discard)).To(MatchError(ContainSubstring(part)))
	}
}
