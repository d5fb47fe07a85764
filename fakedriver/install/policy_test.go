// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"testing"

	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/install"
)

// releases returns the oldest supported release and the release of the API
// server code that the test is built with.
func releases() []*version.Version {
	return []*version.Version{version.MajorMinor(1, 34), environment.DefaultCompatibilityVersion()}
}

// nodeSlice returns a slice that a node's driver publishes.
func nodeSlice(driver, node string) *resourceapi.ResourceSlice {
	out := slice("s", driver, node, 1, 1)
	out.Spec.NodeName = ptr.To(node)
	return out
}

// spanning returns a slice that the controller publishes.
func spanning(driver string) *resourceapi.ResourceSlice {
	out := slice("s", driver, "4x4", 1, 1)
	out.Spec.PerDeviceNodeSelection = ptr.To(true)
	return out
}

func TestPolicyRestrictsTheDriverToItsNode(t *testing.T) {
	g := NewWithT(t)
	const driver, account, other = "mig-2.example.com", "system:serviceaccount:drivers:mig-2.example.com", "system:serviceaccount:default:mig-2.example.com"
	const foreignNode, foreignDriver = `the driver on node n1 may only write ResourceSlices of that node`,
		"only ResourceSlices of the driver mig-2.example.com, and of those whose names end in .mig-2.example.com, may be written"
	allNodes := slice("s", driver, "p", 1, 1)
	allNodes.Spec.AllNodes = ptr.To(true)
	own, notOwn := nodeSlice(driver, "n1"), nodeSlice(driver, "n2")
	spec := get[*admissionregistrationv1.ValidatingAdmissionPolicy](g, installed(t), "ValidatingAdmissionPolicy /"+driver).Spec
	for _, release := range releases() {
		compiled := newPolicy(g, spec, release)
		for name, test := range map[string]struct {
			request request
			want    string
		}{
			"create its own":               {request{account, "n1", nil, own}, ""},
			"update its own":               {request{account, "n1", own, own}, ""},
			"delete its own":               {request{account, "n1", own, nil}, ""},
			"create another's":             {request{account, "n1", nil, notOwn}, foreignNode},
			"delete another's":             {request{account, "n1", notOwn, nil}, foreignNode},
			"update another's":             {request{account, "n1", notOwn, notOwn}, foreignNode},
			"change another's node":        {request{account, "n1", notOwn, own}, foreignNode},
			"change the node of its own":   {request{account, "n1", own, notOwn}, foreignNode},
			"create one of all nodes":      {request{account, "n1", nil, allNodes}, foreignNode},
			"create one of some nodes":     {request{account, "n1", nil, spanning(driver)}, foreignNode},
			"with a token of no pod":       {request{account, "", nil, own}, "the driver's token does not say on which node its pod runs"},
			"no node and one of no node":   {request{account, "", nil, allNodes}, "the driver's token does not say on which node its pod runs"},
			"for an additional driver":     {request{account, "n1", nil, nodeSlice("nic."+driver, "n1")}, ""},
			"for another driver":           {request{account, "n1", nil, nodeSlice("gpu.example.com", "n1")}, foreignDriver},
			"for a driver with the suffix": {request{account, "n1", nil, nodeSlice("x"+driver, "n1")}, foreignDriver},
			"change another driver's":      {request{account, "n1", nodeSlice("gpu.example.com", "n1"), own}, foreignDriver},
			"delete another driver's":      {request{account, "n1", nodeSlice("gpu.example.com", "n1"), nil}, foreignDriver},
			"another user":                 {request{"admin", "", nil, notOwn}, ""},
			"an account of the same name":  {request{other, "n2", nil, own}, ""},
		} {
			g.Expect(compiled.denial(test.request)).To(Equal(test.want), "%s, %s", name, release)
		}
	}
}

func installedTopology(t *testing.T) *fake.Clientset {
	client := multiHost(running(corev1.ConditionTrue), []runtime.Object{worker("n1", ""), worker("n2", "")}, published(t, corev1.LabelHostname, "n1", "n2"))
	NewWithT(t).Expect(install.Install(aMinute(t), client, byName)).To(Succeed())
	return client
}

func TestPolicyRestrictsTheControllerToItsDriver(t *testing.T) {
	g := NewWithT(t)
	const driver, account = "tpu-2.example.com", "system:serviceaccount:drivers:tpu-2.example.com"
	const denied = "only ResourceSlices of the driver tpu-2.example.com with perDeviceNodeSelection may be written"
	own := spanning(driver)
	spec := get[*admissionregistrationv1.ValidatingAdmissionPolicy](g, installedTopology(t), "ValidatingAdmissionPolicy /"+driver).Spec
	for _, release := range releases() {
		compiled := newPolicy(g, spec, release)
		for name, test := range map[string]struct {
			request request
			want    string
		}{
			"create its own":            {request{account, "n1", nil, own}, ""},
			"update its own":            {request{account, "n1", own, own}, ""},
			"delete its own":            {request{account, "n1", own, nil}, ""},
			"create one of a node":      {request{account, "n1", nil, nodeSlice(driver, "n1")}, denied},
			"create for another driver": {request{account, "n1", nil, spanning("x." + driver)}, denied},
			"delete that of another":    {request{account, "n1", spanning("gpu.example.com"), nil}, denied},
			"change another driver's":   {request{account, "n1", spanning("gpu.example.com"), own}, denied},
			"the driver of a node":      {request{account + "-node", "n1", nil, nodeSlice(driver, "n1")}, ""},
			"another user":              {request{"admin", "", nil, nodeSlice(driver, "n1")}, ""},
		} {
			g.Expect(compiled.denial(test.request)).To(Equal(test.want), "%s, %s", name, release)
		}
	}
}

// A policy has no effect without a binding, and does not apply to requests that
// do not match.
func TestPoliciesApply(t *testing.T) {
	for driver, client := range map[string]*fake.Clientset{"mig-2.example.com": installed(t), "tpu-2.example.com": installedTopology(t)} {
		g := NewWithT(t)
		spec := get[*admissionregistrationv1.ValidatingAdmissionPolicy](g, client, "ValidatingAdmissionPolicy /"+driver).Spec
		g.Expect(spec.FailurePolicy).To(HaveValue(Equal(admissionregistrationv1.Fail)))
		g.Expect(spec.MatchConstraints.ResourceRules).To(Equal([]admissionregistrationv1.NamedRuleWithOperations{{
			RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{"CREATE", "UPDATE", "DELETE"},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"resource.k8s.io"}, APIVersions: []string{"v1"}, Resources: []string{"resourceslices"}},
			},
		}}))
		for _, validation := range spec.Validations {
			// The reason Invalid would be mistaken for an error in the devices.
			g.Expect(validation.Reason).To(HaveValue(Equal(metav1.StatusReasonForbidden)))
		}
		binding := get[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](g, client, "ValidatingAdmissionPolicyBinding /"+driver)
		g.Expect(binding.Spec.PolicyName).To(Equal(driver))
		g.Expect(binding.Spec.ValidationActions).To(Equal([]admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}))
		g.Expect(binding.Spec.MatchResources).To(BeNil(), "it applies to all that the policy matches")
	}
}
