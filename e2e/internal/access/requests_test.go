// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestCompare(t *testing.T) {
	g := NewWithT(t)
	rights := []Right{
		{Verb: "list", Resource: "nodes"}, {Verb: "get", Resource: "pods", Namespace: "team"}, {Verb: "create", Resource: "pods"}, {Verb: "get", URL: "/metrics"},
	}
	missing, unused := Compare(rights, []Request{
		{Verb: "list", Resource: "nodes"},
		{Verb: "get", Resource: "pods", Namespace: "other"}, {Verb: "get", Resource: "pods", Namespace: "other"},
		{Verb: "create", Resource: "pods", Namespace: "any"},
		{Verb: "get", Resource: "pods/log", Namespace: "team"},
		{Verb: "get", URL: "/version"}, {Verb: "create", Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
		{Verb: "list", Resource: "pods", Namespace: "kube-system"},
	})
	g.Expect(missing).To(Equal([]Request{{Verb: "get", Resource: "pods", Namespace: "other"}, {Verb: "get", Resource: "pods/log", Namespace: "team"}}))
	g.Expect(unused).To(Equal([]Right{rights[1], rights[3]}))
	g.Expect(missing[0].String()).To(Equal("get pods in namespace other"))
	g.Expect(Request{Verb: "list", Group: "resource.k8s.io", Resource: "resourceslices"}.String()).To(Equal("list resourceslices.resource.k8s.io"))
}

// The API server asks for these rights, and no request names their resources.
func TestCompareRightsForTheStatusOfClaims(t *testing.T) {
	g := NewWithT(t)
	right := func(verb, subresource string) Right {
		return Right{Verb: verb, Group: "resource.k8s.io", Resource: "resourceclaims/" + subresource}
	}
	rights := []Right{right("update", "binding"), right("arbitrary-node:update", "driver"), right("associated-node:patch", "driver")}
	_, unused := Compare(rights, []Request{{Verb: "update", Group: "resource.k8s.io", Resource: "resourceclaims/status", Namespace: "a"}})
	g.Expect(unused).To(Equal(rights[2:]))
	_, unused = Compare(rights, []Request{{Verb: "update", Group: "resource.k8s.io", Resource: "resourceclaims", Namespace: "a"}})
	g.Expect(unused).To(Equal(rights), "only writes of the status need them")
}

func TestReadAuditLog(t *testing.T) {
	g := NewWithT(t)
	const user = "system:serviceaccount:team:runner"
	log := strings.Join([]string{
		`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/team/pods/one/log?container=workload","verb":"get","user":{"username":"` + user + `"},"objectRef":{"resource":"pods","namespace":"team","name":"one","apiVersion":"v1","subresource":"log"}}`,
		`{"stage":"ResponseComplete","requestURI":"/apis/resource.k8s.io/v1/resourceslices?watch=true","verb":"watch","user":{"username":"` + user + `"},"objectRef":{"resource":"resourceslices","apiGroup":"resource.k8s.io","apiVersion":"v1"}}`,
		`{"stage":"ResponseComplete","requestURI":"/apis/resource.k8s.io/v1/resourceslices?watch=true","verb":"watch","user":{"username":"` + user + `"},"objectRef":{"resource":"resourceslices","apiGroup":"resource.k8s.io","apiVersion":"v1"}}`,
		`{"stage":"ResponseComplete","requestURI":"/metrics?x=y","verb":"get","user":{"username":"` + user + `"}}`,
		`{"stage":"ResponseComplete","requestURI":"/api/v1/secrets","verb":"list","user":{"username":"admin"},"objectRef":{"resource":"secrets"}}`,
	}, "\n")
	got, err := ReadAuditLog(strings.NewReader(log), user)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal([]Request{
		{Verb: "get", Resource: "pods/log", Namespace: "team"},
		{Verb: "watch", Group: "resource.k8s.io", Resource: "resourceslices"},
		{Verb: "get", URL: "/metrics"},
	}))
	_, err = ReadAuditLog(strings.NewReader("{}\nnot JSON"), user)
	g.Expect(err).To(MatchError(HavePrefix("read line 2 of the audit log: ")))
}

func TestAuditPolicyLogsOneUser(t *testing.T) {
	g := NewWithT(t)
	content, err := AuditPolicy("runner")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(MatchYAML(`
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted, Panic]
rules:
- level: Metadata
  users: [runner]
- level: None
`))
}
