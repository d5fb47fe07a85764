// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// anyDriver makes a cluster one of classic DRA. The tests do not call it.
type anyDriver struct{ operations.ClassicDriver }

const (
	ofNamespace = "/apis/resource.k8s.io/v1alpha3/namespaces/ns/"
	ofCluster   = "/apis/resource.k8s.io/v1alpha3/"
)

// storedClassic returns the objects of a spec of classic DRA by path.
func storedClassic() map[string]string {
	return map[string]string{
		"/api/v1/namespaces/ns/pods":           `{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "user", "uid": "1"}}]}`,
		ofNamespace + "resourceclaims":         `{"items": [{"metadata": {"name": "claim", "uid": "2"}, "spec": {"controller": "d"}, "status": {"allocation": {"devices": {"results": [{"device": "a"}]}}, "reservedFor": [{"uid": "1"}]}}]}`,
		ofNamespace + "resourceclaimtemplates": `{"items": [{"metadata": {"name": "template", "uid": "3"}, "spec": {"spec": {"controller": "d"}}}]}`,
		ofCluster + "deviceclasses":            `{"items": [{"metadata": {"name": "ns-limited", "uid": "4"}, "spec": {"suitableNodes": {"nodeSelectorTerms": []}}}]}`,
	}
}

func TestClassicObjectsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		path, was, is string
		want          string
	}{
		"a lost driver":     {ofNamespace + "resourceclaims", `"controller": "d"`, `"devices": {}`, "the spec of classic claim claim has changed to"},
		"a lost allocation": {ofNamespace + "resourceclaims", `"device": "a"`, `"device": "b"`, "the allocation of claim claim of pod user has changed to"},
		"a lost user":       {ofNamespace + "resourceclaims", `{"uid": "1"}`, "", "claim claim is no longer reserved for pod user"},
		"a lost selector":   {ofCluster + "deviceclasses", `"suitableNodes"`, `"others"`, "the spec of class ns-limited has changed to"},
		"a lost template":   {ofNamespace + "resourceclaimtemplates", `"uid": "3"`, `"uid": "5"`, "template template was deleted"},
		"a lost field":      {ofNamespace + "resourceclaimtemplates", `"controller": "d"`, "", "the spec of template template has changed to"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			stored := storedClassic()
			r := classicRun(t, stored)
			was, err := r.getObjects(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			claim := was.claims["claim"]
			k := checked{seen: was, pods: []checkedPod{{name: "user", uid: "1", allocations: map[string]*resourceapi.AllocationResult{"claim": claim.Status.Allocation}}}}
			now, err := r.getObjects(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(k.changes(now)).To(BeEmpty(), "nothing has changed")
			g.Expect(stored[c.path]).To(ContainSubstring(c.was))
			stored[c.path] = strings.Replace(stored[c.path], c.was, c.is, 1)
			now, err = r.getObjects(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(k.changes(now)).To(ConsistOf(HavePrefix(c.want)))
		})
	}
}

func TestDeletedClassicClaimsAreForgotten(t *testing.T) {
	g := NewWithT(t)
	stored := storedClassic()
	r := classicRun(t, stored)
	was, err := r.getObjects(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	stored[ofNamespace+"resourceclaims"] = `{"items": []}`
	now, err := r.getObjects(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	k := checked{seen: was}
	g.Expect(k.changes(now)).To(ConsistOf("claim claim was deleted", "classic claim claim was deleted"))
	k.forget("ResourceClaim", "claim")
	g.Expect(k.changes(now)).To(BeEmpty())
}

func TestClassicDevicesAreGivenOnce(t *testing.T) {
	for devices, problem := range map[string]bool{"ab": false, "aa": true} {
		t.Run(devices, func(t *testing.T) {
			failed := ""
			RegisterFailHandler(func(message string, _ ...int) { failed = message })
			claim := `{"metadata": {"name": "claim-%d"}, "status": {"allocation": {"devices": {"results": [{"device": "%c"}]}}}}`
			r := classicRun(t, map[string]string{
				ofCluster + "resourceclaims": fmt.Sprintf(`{"items": [`+claim+","+claim+`]}`, 0, devices[0], 1, devices[1]),
			})
			r.expectNoOverallocation(t.Context())
			want := BeEmpty()
			if problem {
				want = Not(BeEmpty())
			}
			NewWithT(t).Expect(failed).To(want)
		})
	}
}

// The objects of a release with the API of today are read in that API.
func TestOtherClustersAreNotClassic(t *testing.T) {
	g := NewWithT(t)
	r := classicRun(t, storedClassic())
	r.Classic = nil
	_, err := r.getObjects(t.Context())
	g.Expect(err).To(MatchError(ContainSubstring("list the claims of namespace ns")))
}

// classicRun returns a run in a cluster whose API server serves the given paths.
func classicRun(t *testing.T, stored map[string]string) *Run {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, ok := stored[request.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"kind": "Status", "apiVersion": "v1", "message": "not found", "reason": "NotFound", "code": 404}`
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return &Run{Env: &env.Env{Client: client, Namespace: "ns", Classic: anyDriver{}}}
}
