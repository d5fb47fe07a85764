// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
)

// A scheduler without /readyz is ready if it is healthy. One with /readyz is not ready
// because it is healthy.
func TestSchedulerIsReady(t *testing.T) {
	const unready, absent = http.StatusInternalServerError, http.StatusNotFound
	for name, test := range map[string]struct {
		readyz, healthz int
		want            string
	}{
		"ready":                   {http.StatusOK, absent, ""},
		"ready, not healthy":      {http.StatusOK, unready, ""},
		"not ready, but healthy":  {unready, http.StatusOK, "/readyz: 500"},
		"without /readyz":         {absent, http.StatusOK, ""},
		"without /readyz, ill":    {absent, unready, "/healthz: 500"},
		"without any of the two":  {absent, absent, "/healthz: not served"},
		"not allowed to be asked": {http.StatusForbidden, http.StatusOK, "/readyz: 403"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			status := map[string]int{"/readyz": test.readyz, "/healthz": test.healthz}
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status[r.URL.Path]) }))
			t.Cleanup(server.Close)
			p := &Provider{http: server.Client(), ports: ports{scheduler: server.Listener.Addr().(*net.TCPAddr).Port}}
			err := p.schedulerReady(t.Context())
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}
