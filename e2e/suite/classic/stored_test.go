// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

func TestFindGivenTwice(t *testing.T) {
	claim := func(namespace, name string, devices ...string) string {
		var results []string
		for _, d := range devices {
			results = append(results, fmt.Sprintf(`{"request": "device", "driver": "d", "pool": "node", "device": %q}`, d))
		}
		return fmt.Sprintf(`{"metadata": {"namespace": %q, "name": %q}, "spec": {"controller": "d"}, "status": {"allocation": {"controller": "d", "devices": {"results": [%s]}}}}`,
			namespace, name, strings.Join(results, ","))
	}
	for name, test := range map[string]struct {
		claims []string
		want   []string
	}{
		"each once":            {[]string{claim("ns", "a", "0"), claim("ns", "b", "1")}, nil},
		"nothing is allocated": {[]string{`{"metadata": {"name": "a"}, "status": {}}`, claim("ns", "b", "1")}, nil},
		"twice":                {[]string{claim("ns", "a", "0", "1"), claim("ns", "b", "1")}, []string{"device d/node/1 is given to claims ns/a and ns/b"}},
		"in two namespaces":    {[]string{claim("ns", "a", "0"), claim("other", "a", "0")}, []string{"device d/node/0 is given to claims ns/a and other/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			c := clusterAtPaths(t, map[string]string{"/apis/resource.k8s.io/v1alpha3/resourceclaims": items(test.claims...)})
			twice, err := FindGivenTwice(t.Context(), c.env)
			g.Expect(err).NotTo(gomega.HaveOccurred())
			g.Expect(twice).To(gomega.Equal(test.want))
		})
	}
}

func TestStoredObjectsAreThoseOfTheSpec(t *testing.T) {
	g := gomega.NewWithT(t)
	const base, namespaced = "/apis/resource.k8s.io/v1alpha3/", "/apis/resource.k8s.io/v1alpha3/namespaces/ns/"
	c := clusterAtPaths(t, map[string]string{
		namespaced + "resourceclaims":         items(`{"metadata": {"name": "claim"}, "spec": {"controller": "d"}, "status": {"reservedFor": [{"uid": "1"}]}}`),
		namespaced + "resourceclaimtemplates": items(`{"metadata": {"name": "template"}}`),
		base + "deviceclasses":                items(`{"metadata": {"name": "ns-any"}, "spec": {"suitableNodes": {}}}`, `{"metadata": {"name": "of-others"}}`),
	})
	claims, err := ListClaims(t.Context(), c.env)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(claims).To(gomega.HaveLen(1))
	g.Expect(claims[0].Spec).To(gomega.HaveKeyWithValue("controller", "d"))
	g.Expect(claims[0].Status.ReservedFor).To(gomega.HaveLen(1))
	templates, err := ListTemplates(t.Context(), c.env)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(templates).To(gomega.HaveLen(1))
	classes, err := ListClasses(t.Context(), c.env)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(classes).To(gomega.HaveLen(1), "the class of others is not that of the spec")
	g.Expect(classes[0].Spec).To(gomega.HaveKey("suitableNodes"))
}

// A journey changes the release, and disables DRA meanwhile.
func TestStoredObjectsAreReadInTheServedVersion(t *testing.T) {
	for _, version := range []string{"v1alpha2", "v1alpha3", "v1beta1", "v1"} {
		g := gomega.NewWithT(t)
		c := clusterAtPaths(t, map[string]string{"/apis/resource.k8s.io/" + version + "/namespaces/ns/resourceclaims": items(`{"metadata": {"name": "claim"}}`)})
		found, err := ListClaims(t.Context(), c.env)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		g.Expect(found).To(gomega.HaveLen(1), version)
	}
	found, err := ListClaims(t.Context(), clusterAtPaths(t, nil).env)
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	gomega.NewWithT(t).Expect(found).To(gomega.BeEmpty())
}

func TestClaimsAsNewOnes(t *testing.T) {
	g := gomega.NewWithT(t)
	c := clusterAtPaths(t, map[string]string{"/apis/resource.k8s.io/v1alpha3/resourceclaims": items(
		`{"metadata": {"name": "a", "uid": "1"}, "spec": {"devices": {"requests": [{"name": "admin", "adminAccess": true}, {"name": "own"}]}}, "status": {
			"reservedFor": [{"resource": "pods", "name": "p", "uid": "2"}], "deallocationRequested": true,
			"allocation": {"nodeSelector": {"nodeSelectorTerms": []}, "devices": {"results": [
				{"request": "admin", "driver": "d", "pool": "n", "device": "0"}, {"request": "own", "driver": "d", "pool": "n", "device": "1"}]}}}}`,
		`{"metadata": {"name": "of-1.30"}, "status": {"allocation": {"availableOnNodes": {"nodeSelectorTerms": []}, "resourceHandles": [{"data": "x"}]}}}`,
		`{"metadata": {"name": "pending"}, "status": {}}`,
	)})
	all, err := ListAllClaims(t.Context(), c.env)
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(all).To(gomega.HaveLen(3))
	claim := all[0].AsNew()
	g.Expect(claim.Status.ReservedFor).To(gomega.HaveLen(1))
	g.Expect(claim.Status.ReservedFor[0].UID).To(gomega.BeEquivalentTo("2"))
	g.Expect(claim.Status.Allocation.NodeSelector).NotTo(gomega.BeNil())
	g.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(1), "a device by admin access is shared")
	g.Expect(claim.Status.Allocation.Devices.Results[0].Device).To(gomega.Equal("1"))
	g.Expect(all[0].Status.DeallocationRequested).To(gomega.BeTrue())
	g.Expect(all[1].AsNew().Status.Allocation.NodeSelector).NotTo(gomega.BeNil())
	g.Expect(all[2].AsNew().Status.Allocation).To(gomega.BeNil())
}

func items(all ...string) string { return `{"items": [` + strings.Join(all, ",") + `]}` }

// clusterAtPaths returns a cluster whose API server serves some paths.
func clusterAtPaths(t *testing.T, content map[string]string) *Cluster {
	t.Helper()
	return clusterWith(t, func(w http.ResponseWriter, request *http.Request) {
		if body, ok := content[request.URL.Path]; ok {
			answer(t, w, http.StatusOK, body)
			return
		}
		answer(t, w, http.StatusNotFound, missing)
	})
}
