// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simulated creates Node objects without a kubelet, and the
// ResourceSlices of a driver that does not run. They are for specs about the
// scheduler, in which no containers run.
package simulated

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/topology"
)

// CreateDeviceClass creates a DeviceClass for the devices of the simulated
// nodes that match a CEL expression. It returns a request for any of them. The
// class is deleted at the end of the spec.
func (s *Nodes) CreateDeviceClass(ctx context.Context, name, selector string) subject.Device {
	ginkgo.GinkgoHelper()
	return s.createDeviceClass(ctx, name, selector, nil)
}

// CreateExtendedResource creates a DeviceClass like [Nodes.CreateDeviceClass],
// whose devices provide the extended resource [ExtendedResource] (KEP-5004).
func (s *Nodes) CreateExtendedResource(ctx context.Context, resource, class, selector string) subject.Device {
	ginkgo.GinkgoHelper()
	return s.createDeviceClass(ctx, class, selector, ptr.To(string(ExtendedResource(s.env, resource))))
}

func (s *Nodes) createDeviceClass(ctx context.Context, name, selector string, extendedResource *string) subject.Device {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	class := claims.CreateDeviceClassWithSpec(ctx, s.env, name, resourceapi.DeviceClassSpec{
		Selectors: s.classSelectors(selector), ExtendedResourceName: extendedResource,
	})
	return subject.Device{Driver: s.Driver, Class: class}
}

// ChangeDeviceClass makes a DeviceClass of [Nodes.CreateDeviceClass] select the
// devices that match another CEL expression. The class is updated in place.
func (s *Nodes) ChangeDeviceClass(ctx context.Context, class, selector string) {
	ginkgo.GinkgoHelper()
	claims.UpdateDeviceClass(ctx, s.env, class, func(spec *resourceapi.DeviceClassSpec) { spec.Selectors = s.classSelectors(selector) })
}

// classSelectors returns the selectors of a DeviceClass for the devices of the
// driver that match a CEL expression.
func (s *Nodes) classSelectors(selector string) []resourceapi.DeviceSelector {
	expression := fmt.Sprintf("device.driver == %q && (%s)", s.Driver, selector)
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
}

// ExtendedResource returns the name of an extended resource that no other spec
// uses.
func ExtendedResource(e *env.Env, name string) corev1.ResourceName {
	return corev1.ResourceName(DriverNames(e)[0] + "/" + name)
}

// WithDevicePlugin returns a change of nodes for [CreateNodes]: nodes have the
// amounts of extended resources that device plugins provide, by the number of the
// node.
func WithDevicePlugin(amounts map[int]corev1.ResourceList) func(number int, node *corev1.Node) {
	return func(number int, node *corev1.Node) {
		maps.Copy(node.Status.Capacity, amounts[number])
		node.Status.Allocatable = node.Status.Capacity
	}
}

// nodeLabel is a label of simulated nodes. Its value is the unique name of
// the spec that uses the node.
const nodeLabel = "draconform.dev/simulated-nodes"

// OtherNodes selects all nodes that are not simulated.
func OtherNodes() *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: topology.SimulatedLabel, Operator: corev1.NodeSelectorOpDoesNotExist}},
	}}}
}

// LabelsOf returns labels that the simulated nodes of a spec have, and no other nodes.
func LabelsOf(e *env.Env) map[string]string { return map[string]string{nodeLabel: e.UniqueName()} }

// Nodes has simulated nodes for a scheduler spec. The nodes are only Node
// objects, and their driver is only a set of ResourceSlices. They belong to one
// spec, and only the pods of this spec are placed on them.
type Nodes struct {
	// Driver is the name of the driver.
	Driver string
	// Class is the DeviceClass of all devices of the driver.
	Class string
	// Names lists the names of the nodes.
	Names []string

	env *env.Env
	// slices counts the published ResourceSlices.
	slices int
	// rules are the names of the DeviceTaintRules of the spec.
	rules []string
}

// CreateNodes creates the given number of simulated nodes, and a DeviceClass
// for their devices. changes change each node, given its number from 0. All
// later pods of the spec are placed on these nodes. The spec must have
// [env.NeedsSimulatedNodes].
func CreateNodes(ctx context.Context, e *env.Env, nodes int, changes ...func(number int, node *corev1.Node)) *Nodes {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating %d simulated nodes", nodes))
	s := &Nodes{Driver: DriverNames(e)[0], env: e}
	e.SimulatedDrivers, e.PlacePod = []string{s.Driver}, s.place
	e.Cleanups = append(e.Cleanups, s.remove)
	e.Excuses = append(e.Excuses, s.lost)
	s.createAll(ctx, nodes, changes)
	s.createClass(ctx, "")
	return s
}

// CreateDriver is [CreateNodes] without nodes. Pods of the spec run on the nodes of the
// cluster, where the driver does not run.
func CreateDriver(ctx context.Context, e *env.Env) *Nodes {
	ginkgo.GinkgoHelper()
	placed := e.PlacePod
	s := CreateNodes(ctx, e, 0)
	e.PlacePod = placed
	return s
}

// CreateNodesWithoutDriver is [CreateNodes] for nodes whose devices do not appear in
// the API that this program knows. There is no DeviceClass.
func CreateNodesWithoutDriver(ctx context.Context, e *env.Env, nodes int, changes ...func(number int, node *corev1.Node)) *Nodes {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating %d simulated nodes", nodes))
	s := &Nodes{env: e}
	e.PlacePod = s.place
	e.Cleanups = append(e.Cleanups, s.removeNodes)
	e.Excuses = append(e.Excuses, s.lost)
	s.createAll(ctx, nodes, changes)
	return s
}

func (s *Nodes) createAll(ctx context.Context, nodes int, changes []func(number int, node *corev1.Node)) {
	ginkgo.GinkgoHelper()
	for i := range nodes {
		s.createNode(ctx, func(node *corev1.Node) {
			for _, change := range changes {
				change(i, node)
			}
		})
	}
}

// CreateNodesWithFeatures is [CreateNodes] for nodes that declare features, as
// kubelets with these feature gates do (API NodeStatus.declaredFeatures).
func CreateNodesWithFeatures(ctx context.Context, e *env.Env, nodes int, features ...string) *Nodes {
	ginkgo.GinkgoHelper()
	return CreateNodes(ctx, e, nodes, func(_ int, node *corev1.Node) { node.Status.DeclaredFeatures = features })
}

// AddNode creates one more simulated node with these labels. It returns the name
// of the node.
func (s *Nodes) AddNode(ctx context.Context, labels map[string]string) string {
	ginkgo.GinkgoHelper()
	return s.createNode(ctx, func(node *corev1.Node) { maps.Copy(node.Labels, labels) })
}

func (s *Nodes) createNode(ctx context.Context, change func(*corev1.Node)) string {
	ginkgo.GinkgoHelper()
	node := s.newNode(len(s.Names))
	change(node)
	_, err := s.env.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if env.MayHaveCreated(err) { // Nodes with names are deleted at the end of the spec.
		s.Names = append(s.Names, node.Name)
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return node.Name
}

// kwok's annotation of the nodes that it manages, and its taint, which keeps other
// pods off (https://kwok.sigs.k8s.io/docs/user/kwok-manage-nodes-and-pods).
const (
	kwokNode = "kwok.x-k8s.io/node"
	kwokFake = "fake"
)

// newNode returns a Node that is ready. It stays ready until the node lifecycle
// controller notices the missing heartbeats, or if kwok sends them.
func (s *Nodes) newNode(i int) *corev1.Node {
	name := fmt.Sprintf("%s-n%02d", s.env.UniqueName(), i)
	labels := map[string]string{corev1.LabelHostname: name, topology.SimulatedLabel: "", nodeLabel: s.env.UniqueName()}
	maps.Copy(labels, s.env.Labels)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: map[string]string{kwokNode: kwokFake}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: kwokNode, Value: kwokFake, Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated",
				LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
			}},
		},
	}
}

// place restricts a pod to the simulated nodes. The pod tolerates all taints,
// because a cluster may taint nodes without a kubelet.
func (s *Nodes) place(pod *corev1.Pod) {
	pod.Spec.NodeSelector = map[string]string{nodeLabel: s.env.UniqueName()}
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
}

// Device returns a request for one device of the driver that matches a CEL
// expression. An empty expression matches all devices.
func (s *Nodes) Device(selector string) subject.Device {
	return subject.Device{Driver: s.Driver, Class: s.Class, Selector: subject.Selector(selector)}
}

// remove deletes the ResourceSlices and the nodes. It is called after the pods
// and claims of the spec are removed.
func (s *Nodes) remove(ctx context.Context) error {
	return errors.Join(s.removeSlices(ctx), s.removeNodes(ctx))
}

// lost states that something in the cluster has deleted a simulated node, as the controller of a
// cloud does with nodes that it has no machine for. The pods and slices of the node go with it.
func (s *Nodes) lost(ctx context.Context) string {
	for _, name := range s.Names {
		_, err := s.env.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return fmt.Sprintf("something in the cluster has deleted the simulated node %s", name)
		}
	}
	return ""
}

func (s *Nodes) removeNodes(ctx context.Context) error {
	var errs []error
	for _, node := range s.Names {
		if err := s.env.Client.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete node %s: %w", node, err))
		}
	}
	return errors.Join(errs...)
}
