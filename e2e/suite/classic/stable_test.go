// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/suite/env"
)

// missing is the answer of an API server for an object that does not exist.
const missing = `{"kind": "Status", "message": "not found", "reason": "NotFound", "code": 404}`

// A request that fails, for example because etcd is busy, says nothing about the
// object.
func TestFailedRequestsAreNoViolation(t *testing.T) {
	for name, test := range map[string]struct {
		code   int
		object string
		expect func(ctx context.Context, c *Cluster)
	}{
		"a claim stays":       {http.StatusOK, `{"status": {"allocation": {}}}`, expectAllocated},
		"there is no context": {http.StatusNotFound, missing, expectNoContext},
	} {
		t.Run(name, func(t *testing.T) {
			gomega.RegisterFailHandler(func(message string, _ ...int) { t.Fatal(message) })
			var requests atomic.Int32
			c := clusterAt(t, func(w http.ResponseWriter) {
				if requests.Add(1) == 2 {
					answer(t, w, http.StatusInternalServerError, `{"kind": "Status", "message": "etcdserver: request timed out", "code": 500}`)
					return
				}
				answer(t, w, test.code, test.object)
			})
			test.expect(t.Context(), c)
			gomega.NewWithT(t).Expect(requests.Load()).To(gomega.BeNumerically(">", 2))
		})
	}
}

// A violation is found, be it another state or none.
func TestViolations(t *testing.T) {
	for name, test := range map[string]struct {
		code   int
		object string
		expect func(ctx context.Context, c *Cluster)
	}{
		"a claim is deallocated": {http.StatusOK, `{"status": {}}`, expectAllocated},
		"a claim is removed":     {http.StatusNotFound, missing, expectAllocated},
		"there is a context":     {http.StatusOK, `{}`, expectNoContext},
	} {
		t.Run(name, func(t *testing.T) {
			failed := false
			gomega.RegisterFailHandler(func(string, ...int) { failed = true })
			test.expect(t.Context(), clusterAt(t, func(w http.ResponseWriter) { answer(t, w, test.code, test.object) }))
			gomega.NewWithT(t).Expect(failed).To(gomega.BeTrue())
		})
	}
}

func expectAllocated(ctx context.Context, c *Cluster) {
	c.ExpectClaimStays(ctx, "claim", "nobody changes it", func(claim Claim) error {
		if claim.Status.Allocation == nil {
			return errors.New("it is deallocated")
		}
		return nil
	})
}

func expectNoContext(ctx context.Context, c *Cluster) { c.ExpectNoContext(ctx, "pod", "nobody asks") }

// clusterAt returns a cluster whose API server answers all requests alike.
func clusterAt(t *testing.T, respond func(http.ResponseWriter)) *Cluster {
	t.Helper()
	return clusterWith(t, func(w http.ResponseWriter, _ *http.Request) { respond(w) })
}

// clusterWith returns a cluster with an API server.
func clusterWith(t *testing.T, serve http.HandlerFunc) *Cluster {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	return &Cluster{env: &env.Env{
		Client: client, Namespace: "ns", Timeouts: env.Timeouts{Stable: 200 * time.Millisecond, Response: time.Minute},
	}}
}

func answer(t *testing.T, w http.ResponseWriter, code int, body string) {
	t.Helper()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, err := w.Write([]byte(body))
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
}
