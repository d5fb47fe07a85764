package scheduler

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const benchDevices = 8 // Per node.

// benchWorld has nodes with 8 devices each, of which a number are allocated to claims of their own.
func benchWorld(b *testing.B, newPlugin makePlugin, nodes, allocated int) *world {
	b.Helper()
	objects := []runtime.Object{deviceClass(), claimOf("c", request("req", 1))}
	for n := range nodes {
		name := fmt.Sprintf("n%04d", n)
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
	for _, object := range objects {
		object.(interface{ SetResourceVersion(version string) }).SetResourceVersion("1")
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	w := &world{WithT: NewWithT(b), ctx: klog.NewContext(ctx, klog.Logger{}), client: fake.NewSimpleClientset(objects...), features: defaultFeatures()}
	w.factory = informers.NewSharedInformerFactory(w.client, 0)
	w.startManager(newPlugin)
	w.Eventually(func() (int, error) { list, err := w.manager.ResourceClaims().List(); return len(list), err }, "1m").Should(Equal(nodes*allocated + 1))
	w.Eventually(func() int { return len(w.allocated().AllocatedDevices) }, "1m").Should(Equal(nodes * allocated))
	for n := range nodes {
		info := framework.NewNodeInfo()
		info.SetNode(node(fmt.Sprintf("n%04d", n)))
		w.nodes = append(w.nodes, info)
	}
	return w
}

// BenchmarkAttempt is what one pod costs beside the API calls, with all nodes filtered one after the other.
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

// BenchmarkExplain is what it costs beside that to tell a pod why it found no devices.
func BenchmarkExplain(b *testing.B) {
	for _, nodes := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("%d_nodes", nodes), func(b *testing.B) {
			w := benchWorld(b, makeOurs, nodes, benchDevices)
			c := w.begin(podWith("p", "c"))
			w.Expect(c.preFilter()).To(succeed())
			c.filter()
			for b.Loop() {
				if _, status := w.plugin.PostFilter(w.ctx, c.state, c.pod, nil); status.Message() == "" {
					panic("nothing was explained")
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
