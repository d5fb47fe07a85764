// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	authorizationapi "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/discover"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// cluster is the objects of an in-memory cluster, and the rights of the caller.
type cluster struct {
	discover.Input
	more []runtime.Object
	// denied are the reviews that are not allowed, as resource/subresource.
	denied []string
	client *fake.Clientset
}

// clusterOf returns the cluster of a file of the package discover, with the
// nodes that its slices name.
func clusterOf(t *testing.T, name string, nodes ...string) *cluster {
	t.Helper()
	in, err := discover.Read([]string{"../discover/testdata/" + name + ".yaml"}, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	c := &cluster{Input: in}
	for _, node := range nodes {
		in.Objects.Add(&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{
				corev1.LabelHostname: node, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		})
	}
	for _, set := range in.DaemonSets {
		set.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, NumberReady: 2}
	}
	return c
}

// allocate allocates devices of a driver to a claim.
func (c *cluster) allocate(claim, driver, pool string, devices ...string) {
	object := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: claim}}
	object.Status.Allocation = &resourceapi.AllocationResult{}
	for _, d := range devices {
		object.Status.Allocation.Devices.Results = append(object.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: driver, Pool: pool, Device: d})
	}
	c.more = append(c.more, object)
}

// allocateAll allocates the devices of all slices.
func (c *cluster) allocateAll() {
	for _, slice := range c.Objects.Slices {
		for _, device := range slice.Spec.Devices {
			c.allocate(slice.Name+"-"+device.Name, slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)
		}
	}
}

// share allocates a share of a device.
func (c *cluster) share(claim, driver, pool, device, capacity, amount string) {
	c.allocate(claim, driver, pool, device)
	result := &c.more[len(c.more)-1].(*resourceapi.ResourceClaim).Status.Allocation.Devices.Results[0]
	result.ShareID = ptr.To(types.UID("1b671a64-40d5-491e-99b0-da01ff1f3341"))
	result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(capacity): resource.MustParse(amount)}
}

func (c *cluster) start() *fake.Clientset {
	objects := c.more
	for _, o := range c.Objects.Slices {
		objects = append(objects, o)
	}
	for _, o := range c.Objects.Classes {
		objects = append(objects, o)
	}
	for _, o := range c.Objects.Nodes {
		objects = append(objects, o)
	}
	for _, o := range c.DaemonSets {
		objects = append(objects, o)
	}
	c.client = fake.NewClientset(objects...)
	c.client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationapi.SelfSubjectAccessReview).DeepCopy()
		review.Status.Allowed = true
		for _, denied := range c.denied {
			if a := review.Spec.ResourceAttributes; a != nil && a.Verb+" "+a.Resource+"/"+a.Subresource == denied {
				review.Status.Allowed = false
			}
		}
		return true, review, nil
	})
	return c.client
}

// decode returns the driver of a valid file.
func decode(t *testing.T, content string) *driverfile.Driver {
	t.Helper()
	g := NewWithT(t)
	drivers, err := driverfile.Decode("my-driver.yaml", []byte("apiVersion: draconform.dev/v1alpha1\nkind: Driver\n"+content))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(drivers[0].Validate()).To(Succeed())
	return drivers[0]
}

// check returns the messages of the findings that are not OK.
func (c *cluster) check(t *testing.T, d *driverfile.Driver, o Options) []string {
	t.Helper()
	found, err := Check(t.Context(), c.start(), []*driverfile.Driver{d}, o)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var messages []string
	for _, f := range found {
		if f.Result != OK {
			messages = append(messages, string(f.Result)+" "+f.Check+" "+f.Field+": "+f.Message)
		}
	}
	return messages
}
