// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

const (
	driver    = "tpu.example.com"
	hostLabel = "draconform.dev/tpu-host"
	patience  = "30s"
)

var slicesResource = resourceapi.SchemeGroupVersion.WithResource("resourceslices")

// cluster is an API server with nodes, and a witness that watches all changes
// of ResourceSlices.
type cluster struct {
	g       *WithT
	server  *fakeapi.Server
	gateOff func(off bool)
	witness *witness
}

func newCluster(t *testing.T, nodes []*corev1.Node, options ...fakeapi.Option) *cluster {
	t.Helper()
	g := NewWithT(t)
	var objects []runtime.Object
	for _, node := range nodes {
		objects = append(objects, node)
	}
	c := &cluster{g: g, server: fakeapi.New(objects, options...)}
	c.dropNodeSelection()
	watcher, err := c.server.Client.Tracker().Watch(slicesResource, "")
	g.Expect(err).NotTo(HaveOccurred())
	c.witness = newWitness(watcher)
	t.Cleanup(func() {
		watcher.Stop()
		c.witness.done.Wait()
		g.Expect(c.witness.problems).To(BeEmpty())
	})
	return c
}

// dropNodeSelection adds behavior of an API server without
// DRAPartitionableDevices that fakeapi does not implement: it drops
// perDeviceNodeSelection, and rejects a slice without node selection as
// invalid.
func (c *cluster) dropNodeSelection() {
	var mu sync.Mutex
	disabled := false
	c.gateOff = func(off bool) {
		mu.Lock()
		defer mu.Unlock()
		disabled = off
	}
	c.server.Client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		slice := action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceSlice)
		if !disabled || slice.Spec.PerDeviceNodeSelection == nil {
			return false, nil, nil
		}
		return true, nil, apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceSlice").GroupKind(), slice.Name, field.ErrorList{
			field.Required(field.NewPath("spec"), "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"),
		})
	})
}

// client returns a client of the server that records its own actions.
func (c *cluster) client() *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object, err := c.server.Client.Invokes(action, nil)
		return true, object, err
	})
	client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		watcher, err := c.server.Client.InvokesWatch(action)
		return true, watcher, err
	})
	return client
}

// hosts returns the nodes of a topology's hosts.
func hosts(count int) []*corev1.Node {
	var nodes []*corev1.Node
	for host := range count {
		nodes = append(nodes, newHost(host))
	}
	return nodes
}

func newHost(host int) *corev1.Node {
	name := fmt.Sprintf("node-%02d", host)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name + ".example.com",
			hostLabel:            fmt.Sprint(host),
		}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
}

// stored returns the ResourceSlices, sorted by name.
func (c *cluster) stored(g Gomega) []resourceapi.ResourceSlice {
	list, err := c.server.Client.ResourceV1().ResourceSlices().List(context.Background(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	return list.Items
}

// available returns the devices that are available on some node, and the
// generation of their pool. It fails if the pool is incomplete.
func (c *cluster) available(g Gomega) ([]string, int64) {
	nodes, err := c.server.Client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	var devices []string
	var generation int64
	stored := c.stored(g)
	for _, slice := range stored {
		g.Expect(slice.Spec.Pool.ResourceSliceCount).To(BeNumerically("==", len(stored)), "the pool is not complete")
		if generation != 0 {
			g.Expect(slice.Spec.Pool.Generation).To(Equal(generation), "the pool is not complete")
		}
		generation = slice.Spec.Pool.Generation
		for _, device := range slice.Spec.Devices {
			if slices.ContainsFunc(nodes.Items, func(node corev1.Node) bool { return selects(device.NodeSelector, node.Labels) }) {
				devices = append(devices, device.Name)
			}
		}
	}
	return devices, generation
}

// selects evaluates a node selector with one term.
func selects(selector *corev1.NodeSelector, of labels.Set) bool {
	for _, expression := range selector.NodeSelectorTerms[0].MatchExpressions {
		switch expression.Operator {
		case corev1.NodeSelectorOpIn:
			if !of.Has(expression.Key) || !slices.Contains(expression.Values, of.Get(expression.Key)) {
				return false
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if of.Has(expression.Key) != (expression.Operator == corev1.NodeSelectorOpExists) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// eventuallyAvailable waits until exactly the devices are available. It returns the
// generation of their pool.
func (c *cluster) eventuallyAvailable(devices ...string) int64 {
	var generation int64
	c.g.Eventually(func(g Gomega) {
		var got []string
		got, generation = c.available(g)
		g.Expect(got).To(Equal(devices))
	}, patience, "10ms").Should(Succeed())
	return generation
}

func (c *cluster) updateNode(host int, change func(*corev1.Node)) {
	node, err := c.server.Client.CoreV1().Nodes().Get(context.Background(), newHost(host).Name, metav1.GetOptions{})
	c.g.Expect(err).NotTo(HaveOccurred())
	change(node)
	_, err = c.server.Client.CoreV1().Nodes().Update(context.Background(), node, metav1.UpdateOptions{})
	c.g.Expect(err).NotTo(HaveOccurred())
}

func (c *cluster) setLabel(host int, value string) {
	c.updateNode(host, func(node *corev1.Node) {
		node.Labels = maps.Clone(node.Labels)
		node.Labels[hostLabel] = value
	})
}
