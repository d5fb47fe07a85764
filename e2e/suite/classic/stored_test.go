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
