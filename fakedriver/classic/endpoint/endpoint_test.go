// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// The paths, the header and the statuses are those of the other fake drivers.
func TestEndpoint(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	NewWithT(t).Expect(os.WriteFile(token, []byte("secret\n"), 0o600)).To(Succeed())
	exits := make(chan struct{}, 1)
	d := &Driver{Name: "drv.example.com", Process: "p1", Calls: &calls.Recorder{}, Exit: func() { exits <- struct{}{} }}
	NewWithT(t).Expect(d.SetInventory(inventory.Inventory{Network: 2})).To(Succeed())
	server := httptest.NewServer(d.Handler(token))
	defer server.Close()
	const base, own = "/control/v1", "/control/v1/drivers/drv.example.com"
	for _, test := range []struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		{"GET", base + "/drivers", "other", "", 403, "wrong token"},
		{"GET", base + "/drivers", "secret", "", 200, `[{"driver":"drv.example.com","process":"p1","published":{"inventory":{"network":2}}}]`},
		{"GET", base + "/drivers/other", "secret", "", 404, "no such driver: other"},
		{"PUT", own, "secret", `{"inventory": {"perNode": 1}}`, 200, `{"perNode":1}`},
		{"PUT", own, "secret", `{"inventory": {"perNode": -1}}`, 400, "must not be negative"},
		{"PUT", own, "secret", `{"devices": 1}`, 400, "unknown field"},
		{"POST", own + "/faults", "secret", `{"method": "Allocate", "action": "Fail", "count": 1, "message": "x"}`, 200, "{}"},
		{"POST", own + "/faults", "secret", `{"method": "NodePrepareResources", "action": "Fail", "count": 1, "message": "x"}`, 400, "cannot have faults"},
		{"DELETE", own + "/faults", "secret", "", 200, "{}"},
		{"GET", own + "/calls?after=0", "secret", "", 200, "null"},
		{"GET", own + "/calls?after=x", "secret", "", 400, "invalid"},
		{"POST", base + "/exit", "secret", "", 200, "{}"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			g := NewWithT(t)
			request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, strings.NewReader(test.body))
			g.Expect(err).NotTo(HaveOccurred())
			request.Header.Set(TokenHeader, test.token)
			response, err := http.DefaultClient.Do(request)
			g.Expect(err).NotTo(HaveOccurred())
			defer response.Body.Close()
			g.Expect(response).To(HaveHTTPStatus(test.status))
			g.Expect(response).To(HaveHTTPBody(ContainSubstring(test.want)))
		})
	}
	NewWithT(t).Eventually(exits, "1m").Should(Receive())
}
