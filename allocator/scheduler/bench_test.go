// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/draconform/draconform/allocator/internal/testkit/inputs"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

const benchDevices = 8 // Per node.

// benchWorld returns a world with nodes with 8 devices each. The given number of them are allocated, each to a claim
// of its own.
func benchWorld(b *testing.B, newPlugin makePlugin, nodes, allocated int) *world {
	b.Helper()
	objects := []runtime.Object{deviceClass(), claimOf("c", request("req", 1))}
	var names []string
	for n := range nodes {
		name := fmt.Sprintf("n%04d", n)
		names = append(names, name)
		slice := gpus(name, benchDevices)
		for d := range benchDevices {
			slice.Spec.Devices[d].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"uuid": {StringValue: new(fmt.Sprintf("%s-%d", name, d))},
			}
			if d < allocated {
				objects = append(objects, on(claimOf(fmt.Sprintf("%s-%d", name, d)), name, slice.Spec.Devices[d].Name))
			}
		}
		objects = append(objects, slice)
	}
	w := startBench(b, newPlugin, objects, names)
	w.Eventually(func() (int, error) { list, err := w.manager.ResourceClaims().List(); return len(list), err }, "1m").Should(Equal(nodes*allocated + 1))
	w.Eventually(func() int { return len(w.allocated().AllocatedDevices) }, "1m").Should(Equal(nodes * allocated))
	return w
}

// startBench starts a world in which all objects exist from the beginning.
func startBench(b *testing.B, newPlugin makePlugin, objects []runtime.Object, nodes []string) *world {
	b.Helper()
	for _, object := range objects {
		object.(interface{ SetResourceVersion(version string) }).SetResourceVersion("1")
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	w := &world{WithT: NewWithT(b), ctx: klog.NewContext(ctx, klog.Logger{}), client: fake.NewSimpleClientset(objects...), features: defaultFeatures()}
	w.factory = informers.NewSharedInformerFactory(w.client, 0)
	w.startManager(newPlugin)
	for _, name := range nodes {
		info := framework.NewNodeInfo()
		info.SetNode(node(name))
		w.nodes = append(w.nodes, info)
	}
	return w
}

// BenchmarkEqualNodes measures nodes with equal devices that are hard to search. Nodes whose answer follows from
// comparison with another node cost less than the first.
func BenchmarkEqualNodes(b *testing.B) {
	for _, input := range inputs.NoFit() {
		for _, count := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d_nodes", input.Name, count), func(b *testing.B) {
				w, pod := equalNodes(b, input.Build(), count)
				for b.Loop() {
					w.benchAttempt(pod, false)
				}
			})
		}
	}
}

// equalNodes returns a world with count copies of the node of a problem.
func equalNodes(b *testing.B, p *problem.Problem, count int) (*world, *corev1.Pod) {
	var objects []runtime.Object
	for _, class := range p.Classes {
		objects = append(objects, class)
	}
	var claims, names []string
	for _, claim := range p.Claims {
		claim.Namespace, claim.UID = "default", types.UID("uid-"+claim.Name)
		objects = append(objects, claim)
		claims = append(claims, claim.Name)
	}
	for n := range count {
		name := fmt.Sprintf("n%04d", n)
		names = append(names, name)
		for _, slice := range p.Slices {
			slice := slice.DeepCopy()
			slice.Name = fmt.Sprintf("%s-%s", name, slice.Name)
			slice.Spec.NodeName, slice.Spec.Pool.Name = &name, name
			objects = append(objects, slice)
		}
	}
	w := startBench(b, makeOurs, objects, names)
	w.Eventually(func() (int, error) { list, err := w.manager.ResourceClaims().List(); return len(list), err }, "1m").Should(Equal(len(claims)))
	return w, podWith("p", claims...)
}

// BenchmarkAttempt measures one scheduling attempt without the API calls, with all nodes filtered in sequence.
func BenchmarkAttempt(b *testing.B) {
	for name, newPlugin := range map[string]makePlugin{"draconform": makeOurs, "upstream": makeUpstream} {
		for _, nodes := range []int{100, 1000, 5000} {
			for _, allocated := range []int{0, 7, 8} {
				b.Run(fmt.Sprintf("%s/%d_nodes/%d_of_8_in_use", name, nodes, allocated), func(b *testing.B) {
					w := benchWorld(b, newPlugin, nodes, allocated)
					pod := podWith("p", "c")
					for b.Loop() {
						w.benchAttempt(pod, allocated < benchDevices)
					}
				})
			}
		}
	}
}

// BenchmarkPreFilter measures a pod in a cluster with 10,000 allocated claims before a node is filtered, and with 100
// nodes. 100 is the number of nodes that kube-scheduler filters if all of them fit.
func BenchmarkPreFilter(b *testing.B) {
	for _, kind := range []string{"devices", "shares"} {
		for _, filtered := range []int{0, 100} {
			b.Run(fmt.Sprintf("%s/%d_nodes", kind, filtered), func(b *testing.B) {
				w := benchWorld(b, makeOurs, 1250, benchDevices)
				if kind == "shares" {
					w.shareAll()
				}
				pod := podWith("p", "c")
				for b.Loop() {
					c := w.begin(pod)
					if status := c.preFilter(); !status.IsSuccess() {
						panic(status.Message())
					}
					for _, info := range w.nodes[:filtered] {
						w.plugin.Filter(w.ctx, c.state, pod, info)
					}
				}
			})
		}
	}
}

// shareAll changes all allocated claims to hold a share of their device, with capacity.
func (w *world) shareAll() {
	claims := w.factory.Resource().V1().ResourceClaims().Informer().GetIndexer()
	for _, object := range claims.List() {
		claim := object.(*resourceapi.ResourceClaim).DeepCopy()
		if claim.Status.Allocation == nil {
			continue
		}
		share(string(claim.UID), "1Gi")(&claim.Status.Allocation.Devices.Results[0])
		claim.ResourceVersion = "2"
		w.Expect(claims.Update(claim)).To(Succeed())
		// The manager does not notice that an allocation changes. Therefore the claim is deallocated in between.
		free := claim.DeepCopy()
		free.Status.Allocation, free.ResourceVersion = nil, "2"
		w.Expect(w.manager.ResourceClaims().AssumeClaimAfterAPICall(free)).To(Succeed())
		w.Expect(w.manager.ResourceClaims().AssumeClaimAfterAPICall(claim)).To(Succeed())
	}
}

// BenchmarkExplain measures the additional cost of explaining why a pod found no devices.
func BenchmarkExplain(b *testing.B) {
	for _, nodes := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("%d_nodes", nodes), func(b *testing.B) {
			w := benchWorld(b, makeOurs, nodes, benchDevices)
			c := w.begin(podWith("p", "c"))
			w.Expect(c.preFilter()).To(succeed())
			c.filter()
			for b.Loop() {
				if _, status := w.plugin.PostFilter(w.ctx, c.state, c.pod, nil); status.Message() == "" {
					panic("no explanation")
				}
			}
		})
	}
}

func (w *world) benchAttempt(pod *corev1.Pod, fits bool) {
	c := w.begin(pod)
	if status := c.preFilter(); !status.IsSuccess() {
		panic(status.Message())
	}
	for _, info := range w.nodes {
		status := w.plugin.Filter(w.ctx, c.state, pod, info)
		if status.IsSuccess() != fits {
			panic(status.Message())
		}
	}
	if !fits {
		return
	}
	if status := w.plugin.Reserve(w.ctx, c.state, pod, w.nodes[0].Node().Name); !status.IsSuccess() {
		panic(status.Message())
	}
	w.plugin.Unreserve(w.ctx, c.state, pod, w.nodes[0].Node().Name)
}
