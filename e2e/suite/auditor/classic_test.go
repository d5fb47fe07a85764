// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package auditor

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/suite/env"
)

// The auditor reads claims of a driver, which are in an API that its client does not have.
func TestAuditorOfAClusterWithClassicClaims(t *testing.T) {
	const (
		claim = `{"metadata": {"name": "a", "namespace": "other", "uid": "1"}, "status": {"allocation": {"devices": {"results": [
			{"request": "r", "driver": "d", "pool": "n", "device": "0"}]}}}}`
		twin    = `{"metadata": {"name": "b", "namespace": "ns", "uid": "2"}, "status": {"allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "n", "device": "0"}]}}}}`
		leaving = `{"metadata": {"name": "c", "namespace": "ns", "uid": "3"}, "status": {"deallocationRequested": true, "allocation": {}, "reservedFor": [{"resource": "pods", "name": "p", "uid": "4"}]}}`
	)
	for name, test := range map[string]struct {
		later string // the claims that follow after the first view
		want  []string
	}{
		"right":               {},
		"a device twice":      {"," + twin, []string{"device d/n/0 is allocated 2 times"}},
		"a used one to leave": {"," + leaving, []string{"its deallocation is requested, but it is reserved for pods p"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var lists atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				body := `{"kind": "PodList", "apiVersion": "v1", "items": []}`
				switch request.URL.Path {
				case "/apis/resource.k8s.io/v1alpha3/resourceclaims":
					body = `{"items": [` + claim
					if lists.Add(1) > 1 {
						body += test.later
					}
					body += "]}"
				case "/api/v1/nodes":
					body = `{"kind": "NodeList", "apiVersion": "v1", "items": []}`
				}
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(server.Close)
			client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
			g.Expect(err).NotTo(HaveOccurred())
			auditor := StartClassic(t.Context(), &env.Env{Client: client, Namespace: "ns", Unique: "ns", Timeouts: env.Timeouts{Response: time.Second}}, env.Target{})
			alarms := auditor.Stop(t.Context())
			g.Expect(alarms).To(HaveLen(len(test.want)))
			for i, want := range test.want {
				g.Expect(alarms[i]).To(ContainSubstring(want))
			}
		})
	}
}
