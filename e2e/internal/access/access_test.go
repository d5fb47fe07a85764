// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/manifests"
)

// of returns the verbs on a resource, by namespace.
func of(rights []Right, resource string) map[string][]string {
	verbs := map[string][]string{}
	for _, r := range rights {
		if r.Resource == resource {
			verbs[r.Namespace] = append(verbs[r.Namespace], r.Verb)
		}
	}
	return verbs
}

// reading returns the driver of a driver file that ends with the given lines.
func reading(t *testing.T, lines string) []*driverfile.Driver {
	t.Helper()
	drivers, err := driverfile.Decode("", []byte("apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n"+lines))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return drivers
}

const daemonSet = "daemonSet: {namespace: gpu-system, name: gpu}\n"

func TestRulesAreComplete(t *testing.T) {
	conditions := []string{"always", "own-namespace", "given-namespace", "inline-class", "claims-in-use", "node-agent", "daemon-set", "restart", "update", "logs", "fakes", "simulate-nodes", "clean", "clean-cluster"}
	for _, r := range rules {
		g := NewWithT(t)
		g.Expect(r.For).NotTo(BeEmpty())
		g.Expect(conditions).To(ContainElement(r.When), r.For)
		g.Expect([]string{"cluster", "run", "driver"}).To(ContainElement(r.Scope), r.For)
		g.Expect(r.Verbs).NotTo(Or(BeEmpty(), ContainElement("*")), r.For)
		g.Expect(append(r.Resources, r.URLs...)).NotTo(Or(BeEmpty(), ContainElement("*")), r.For)
	}
}

func TestRightsDependOnTheNamespace(t *testing.T) {
	g := NewWithT(t)
	own, given := Run{}.Rights(), Run{Namespace: "team"}.Rights()
	g.Expect(of(own, "pods")).To(HaveKey(""), "a namespace that does not exist yet has no roles")
	g.Expect(of(own, "namespaces")).To(Equal(map[string][]string{"": {"create", "get", "delete"}}))
	g.Expect(of(own, "leases")).To(BeEmpty())
	g.Expect(of(given, "pods")).To(Equal(map[string][]string{"team": {"create", "get", "list", "patch", "delete"}}))
	g.Expect(of(given, "namespaces")).To(Equal(map[string][]string{"team": {"get"}}))
	g.Expect(of(given, "leases")).To(Equal(map[string][]string{"team": {"create", "get", "update", "delete"}}))
	g.Expect(of(given, "resourceclaims")).To(Equal(map[string][]string{"": {"list", "watch"}, "team": {"create", "get", "delete"}}), "what the cluster's role has is not repeated")
}

func TestRightsDependOnDriverFiles(t *testing.T) {
	for name, test := range map[string]struct {
		run  Run
		file string
		want map[string]map[string][]string // verbs by resource and namespace
	}{
		"without a DaemonSet": {Run{Namespace: "team"}, "", map[string]map[string][]string{"daemonsets": {}}},
		"nothing allowed": {Run{Namespace: "team"}, daemonSet, map[string]map[string][]string{
			"daemonsets": {"gpu-system": {"get"}}, "deviceclasses": {"": {"list"}}, "secrets": {},
		}},
		"restart": {Run{Namespace: "team"}, daemonSet + "allow: {restart: true}", map[string]map[string][]string{
			"pods": {"gpu-system": {"list", "delete"}, "team": {"create", "get", "list", "patch", "delete"}},
		}},
		"update":       {Run{}, daemonSet + "allow: {update: {image: new}}", map[string]map[string][]string{"daemonsets": {"gpu-system": {"get", "patch"}}}},
		"logs":         {Run{Namespace: "team"}, daemonSet + "allow: {logs: true}", map[string]map[string][]string{"pods/log": {"gpu-system": {"get"}, "team": {"get"}}}},
		"inline class": {Run{}, "roles: {exclusive: {device: {inlineClass: {selectors: ['true']}}}}", map[string]map[string][]string{"deviceclasses": {"": {"list", "create", "delete"}}}},
		"node agent":   {Run{Namespace: "team", NodeAgent: true}, "", map[string]map[string][]string{"secrets": {"": {"create", "get"}}, "pods/proxy": {"": {"create"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			test.run.Drivers = reading(t, test.file)
			for resource, want := range test.want {
				g.Expect(of(test.run.Rights(), resource)).To(Equal(want), resource)
			}
		})
	}
}

func TestRolesAreLimitedToNamespaces(t *testing.T) {
	g := NewWithT(t)
	objects := Run{Namespace: "team", Drivers: reading(t, daemonSet+"allow: {restart: true}")}.Roles("draconform", &Account{"team", "runner"})
	g.Expect(objects).To(HaveLen(6))
	cluster, driver, team := objects[0].(*rbacv1.ClusterRole), objects[2].(*rbacv1.Role), objects[4].(*rbacv1.Role)
	g.Expect(driver.Namespace).To(Equal("gpu-system"))
	g.Expect(driver.Rules).To(ConsistOf(
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list", "delete"}},
	))
	g.Expect(team.Rules).To(ContainElement(rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update", "delete"}}))
	g.Expect(cluster.Rules).To(ContainElement(rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}))
	for _, rule := range cluster.Rules {
		g.Expect(rule.Resources).NotTo(ContainElement("pods"))
	}
	g.Expect(objects[5].(*rbacv1.RoleBinding).Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: "team", Name: "runner"}))
}

func TestManifestHasTheRoleOfARunWithoutOptions(t *testing.T) {
	g := NewWithT(t)
	want, err := Run{}.Manifest("draconform", nil)
	g.Expect(err).NotTo(HaveOccurred())
	got, err := os.ReadFile("../../../manifests/guest.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(got)).To(Equal(string(want)), "write it with: draconform rbac > manifests/guest.yaml")
}

// A run that installs the fake drivers can apply, compare and remove each of their
// objects, and has the rights that their roles grant, which the API server demands.
func TestRunsCanInstallTheFakes(t *testing.T) {
	g := NewWithT(t)
	rights := Run{Fakes: true}.Rights()
	resources := map[string]string{}
	for _, file := range []string{"fakedriver.yaml", "multihost.yaml"} {
		content, err := manifests.FS.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		for document := range strings.SplitSeq(string(content), "\n---\n") {
			var object struct {
				metav1.TypeMeta
				Rules []rbacv1.PolicyRule
			}
			g.Expect(yaml.Unmarshal([]byte(document), &object)).To(Succeed())
			group, err := schema.ParseGroupVersion(object.APIVersion)
			g.Expect(err).NotTo(HaveOccurred())
			resource, _ := meta.UnsafeGuessKindToResource(group.WithKind(object.Kind))
			resources[resource.Resource] = resource.Group
			for _, rule := range object.Rules {
				for _, verb := range rule.Verbs {
					g.Expect(rule.APIGroups).To(HaveLen(1))
					for _, granted := range rule.Resources {
						g.Expect(rights).To(ContainElement(HaveField("String()", Right{Verb: verb, Group: rule.APIGroups[0], Resource: granted}.String())), "%s of %s", object.Kind, file)
					}
				}
			}
		}
	}
	g.Expect(len(resources)).To(BeNumerically(">=", 10))
	for resource, group := range resources {
		for _, verb := range []string{"get", "create", "patch", "delete"} {
			g.Expect(rights).To(ContainElement(HaveField("String()", Right{Verb: verb, Group: group, Resource: resource}.String())))
		}
	}
}

func TestOnlyRunsWithoutDriverFilesGrantRights(t *testing.T) {
	g := NewWithT(t)
	groupsOf := func(r Run) (groups []string) {
		for _, right := range r.Rights() {
			groups = append(groups, right.Group)
		}
		return groups
	}
	g.Expect(groupsOf(Run{Fakes: true})).To(ContainElement(rbacv1.GroupName))
	g.Expect(groupsOf(Run{NodeAgent: true, Drivers: reading(t, daemonSet+"allow: {restart: true, logs: true, update: {image: new}}")})).NotTo(ContainElement(rbacv1.GroupName))
}

func TestSimulatedNodesNeedRights(t *testing.T) {
	g := NewWithT(t)
	g.Expect(of(Run{Fakes: true}.Rights(), "nodes")[""]).NotTo(ContainElement("create"))
	g.Expect(of(Run{Fakes: true, SimulateNodes: true}.Rights(), "nodes")[""]).To(ContainElements("create", "delete"))
}

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

// Without this right, the API server rejects reservations, and specs of node agents
// fail (KEP-4817, granular authorization of the status).
func TestNodeAgentsNeedTheRightToReserveClaims(t *testing.T) {
	g := NewWithT(t)
	binding := Right{Verb: "update", Group: "resource.k8s.io", Resource: "resourceclaims/binding"}
	has := func(r Run) bool {
		return slices.ContainsFunc(r.Rights(), func(right Right) bool { return right.covers(binding) })
	}
	g.Expect(has(Run{NodeAgent: true, Namespace: "given"})).To(BeTrue(), "for all namespaces")
	g.Expect(has(Run{Namespace: "given"})).To(BeFalse())
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
