// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
)

// tooBig returns a claim for one device with more memory than any device has.
func tooBig(name string) *resourceapi.ResourceClaim {
	r := request("req", 1)
	r.Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
		Expression: `device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0`,
	}}}
	return claimOf(name, r)
}

func withMemory(d *resourceapi.Device) {
	d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("40Gi")}}
}

func TestUnschedulablePodIsExplained(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), deviceClass(), gpus("a", 1), gpus("b", 1),
		claimOf("c1", request("req", 1)), claimOf("c2", request("req", 1)), claimOf("c3", request("req", 1)))
	w.mustBind(podWith("p1", "c1"))
	w.mustBind(podWith("p2", "c2"))
	status := w.fail(podWith("p3", "c3"))
	w.Expect(status).To(haveStatus(fwk.Unschedulable, "no devices on 2 nodes such as a: claim default/c3, request req: 1 requested, 0 free: 1 of 1 device: in use (held by default/c1)"))
}

func TestExplanationOfSharingAffinityNamesTheHolder(t *testing.T) {
	w := newWorld(t, oneNIC()...)
	w.Expect(w.begin(podWith("px", "x1")).schedule()).To(succeed())
	w.Expect(w.fail(podWith("py", "y"))).To(haveStatus(fwk.Unschedulable, `is locked to incompatible affinity values: `+subnet+` is "x", not "y" (held by default/x1)`))
	w.Expect(w.fail(podWith("pn", "none"))).To(haveStatus(fwk.Unschedulable, "missing required structured parameters for request req"))
}

func TestNodesWithTheSameReasonAreGrouped(t *testing.T) {
	objects := []runtime.Object{deviceClass(), tooBig("c")}
	for i := range 100 {
		name := fmt.Sprintf("n%03d", i)
		objects = append(objects, node(name), gpus(name, 1+i%2, withMemory))
	}
	w := newWorld(t, objects...)
	message := w.fail(podWith("p", "c")).Message()
	w.Expect(message).To(HavePrefix("no devices on 4 nodes such as n000 (4 of 100 explained): claim default/c, request req: 1 requested"))
	w.Expect(message).NotTo(ContainSubstring("; no devices on"))
	w.Expect(len(message)).To(BeNumerically("<=", explainBytes))
}

func TestReasonsThatMayChangeComeFirst(t *testing.T) {
	objects := []runtime.Object{node("a"), node("b"), node("c"), deviceClass(), gpus("a", 1, withMemory), gpus("b", 1, withMemory),
		gpus("c", 1, func(d *resourceapi.Device) {
			withMemory(d)
			d.Capacity["memory"] = resourceapi.DeviceCapacity{Value: resource.MustParse("80Gi")}
		}), tooBig("first"), tooBig("second")}
	w := newWorld(t, objects...)
	w.mustBind(podWith("p", "first"))
	message := w.fail(podWith("q", "second")).Message()
	w.Expect(message).To(HavePrefix("no devices on node c: claim default/second, request req: 1 requested, 0 free: 1 of 1 device: in use (held by default/first); no devices on 2 nodes such as a: "))
}

func TestOnlyNodesWithoutDevicesAreExplained(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), deviceClass(), gpus("a", 1), gpus("b", 2), claimOf("c", request("req", 2)))
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	c.filter() // Another plugin rejects b.
	_, status := w.plugin.PostFilter(w.ctx, c.state, c.pod, nil)
	w.Expect(status).To(haveStatus(fwk.Unschedulable, "no devices on node a: "))
	w.Expect(status.Message()).NotTo(ContainSubstring("node b"))
	// There is no explanation for a pod whose allocated claims cannot be used on any node.
	w = newWorld(t, node("a"), on(claimOf("c", request("req", 1)), "removed", "gpu-0", podWith("other", "c")))
	w.Expect(w.fail(podWith("p", "c")).Message()).To(BeEmpty())
}

func TestExplanationStopsAtItsTimeLimit(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 2)))
	w.ours().explainTime = 0
	w.Expect(w.fail(podWith("p", "c"))).To(haveStatus(fwk.Unschedulable, "no devices on 1 node (0 of 1 explained)"))
}

func TestLongSummariesAreTruncated(t *testing.T) {
	x := &PodExplanation{NodesWithoutDevices: 3, NodesExplained: 3}
	for i := range 3 {
		name := fmt.Sprintf("%0253d", i) // The maximum length of a node's name.
		x.Groups = append(x.Groups, NodeGroup{Nodes: []string{name}, Explanation: &explain.Explanation{Node: name, Outcome: explain.OutcomeError, Error: strings.Repeat("error ", 1000)}})
	}
	NewWithT(t).Expect(len(x.summarize())).To(BeNumerically("<=", explainBytes+3*(253+30)))
}

func TestExplanationsAreServedInFull(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	w.mustBind(podWith("p1", "c1"))
	status := w.fail(podWith("p2", "c2"))
	server := httptest.NewServer(w.ours().shared.explanations.handler())
	defer server.Close()
	get := func(path string) (int, string) {
		request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, server.URL+path, nil)
		w.Expect(err).NotTo(HaveOccurred())
		response, err := server.Client().Do(request)
		w.Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		w.Expect(err).NotTo(HaveOccurred())
		return response.StatusCode, string(body)
	}
	code, body := get("/debug/draconform/pods/default/p2")
	w.Expect(code).To(Equal(http.StatusOK))
	var x PodExplanation
	w.Expect(json.Unmarshal([]byte(body), &x)).To(Succeed())
	w.Expect(x.Summary).To(Equal(status.Message()))
	w.Expect(x.UID).To(Equal("uid-of-pod-p2"))
	w.Expect(x.NodesWithoutDevices).To(Equal(1))
	w.Expect(x.Groups[0].Explanation.Claims[0].Requests[0].Alternatives[0].Reasons[0].Examples).To(Equal([]string{"gpu.example.com/a/gpu-0"}))
	code, body = get("/debug/draconform/pods/default/p2?output=text")
	w.Expect(code).To(Equal(http.StatusOK))
	w.Expect(body).To(And(HavePrefix("pod default/p2 at "), ContainSubstring("no fit on node a because of default/c2: req")))
	code, _ = get("/debug/draconform/pods/default/p1")
	w.Expect(code).To(Equal(http.StatusNotFound))
}

func TestOldExplanationsAreEvicted(t *testing.T) {
	g := NewWithT(t)
	e := newExplanations()
	for i := range 10 * keptExplanations {
		e.keep(&PodExplanation{Namespace: "default", Name: fmt.Sprint(i)})
	}
	g.Expect(e.kept.Len()).To(Equal(keptExplanations))
	_, ok := e.kept.Get(fmt.Sprintf("default/%d", 10*keptExplanations-1))
	g.Expect(ok).To(BeTrue())
}

func TestDebugAddressIsServedWhileTheSchedulerRuns(t *testing.T) {
	w := newWorld(t)
	listener := httptest.NewServer(nil) // Finds a free port.
	address := listener.Listener.Addr().String()
	listener.Close()
	ctx, cancel := context.WithCancel(w.ctx)
	for _, profile := range []string{"one", "two"} {
		_, err := newPlugin(ctx, &runtime.Unknown{Raw: fmt.Appendf(nil, `{"debugAddress": %q}`, address)}, profileNamed{w.handle, profile}, w.features)
		w.Expect(err).NotTo(HaveOccurred())
	}
	get := func() error {
		request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, "http://"+address+"/debug/draconform/pods/default/p", nil)
		w.Expect(err).NotTo(HaveOccurred())
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	w.Expect(get()).To(Succeed())
	cancel()
	w.Eventually(get).ShouldNot(Succeed())
}

// metric returns the value of a metric with a label, or the number of observations for a histogram.
func metric(g *WithT, name, label string) float64 {
	families, err := legacyregistry.DefaultGatherer.Gather()
	g.Expect(err).NotTo(HaveOccurred())
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			if len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

func TestMetrics(t *testing.T) {
	w := newWorld(t, append(oneNIC(), node("b"), gpus("b", 1))...)
	changed := func(name, label string, by float64, do func()) {
		before := metric(w.WithT, name, label)
		do()
		w.Expect(metric(w.WithT, name, label)-before).To(Equal(by), "%s of %s", label, name)
	}
	bind := func() { w.mustBind(podWith("px", "x1")) }
	changed("draconform_scheduler_search_duration_seconds", "fit", 2, func() {
		changed("draconform_scheduler_affinity_devices", "locked", 1, func() {
			changed("draconform_scheduler_affinity_devices", "clean", -1, bind)
		})
	})
	w.mustBind(podWith("p", "none")) // On b.
	changed("draconform_scheduler_search_duration_seconds", "no_fit", 2, func() {
		changed("draconform_scheduler_explanations_total", "SharingAffinity", 1, func() {
			changed("draconform_scheduler_explanations_total", "InUse", 1, func() { w.fail(podWith("py", "y")) })
		})
	})
	changed("draconform_scheduler_affinity_devices", "locked", -1, func() { w.release("x1") })
}

func TestNodesWhoseSearchIsStoppedAreCounted(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 1)))
	for budget, err := range map[string]error{
		"time":  context.DeadlineExceeded,
		"steps": errors.Join(allocator.ErrStepsExhausted, structured.ErrFailedAllocationOnNode),
	} {
		w.ours().args.FilterTimeout = &metav1.Duration{Duration: time.Nanosecond}
		w.ours().allocators = searchFunc(func(ctx context.Context, _ string) (bool, error) {
			<-ctx.Done()
			return false, err
		})
		before := metric(w.WithT, "draconform_scheduler_nodes_given_up_total", budget)
		w.Expect(w.begin(podWith("p", "c")).schedule()).To(haveStatus(fwk.UnschedulableAndUnresolvable, ""))
		w.Expect(metric(w.WithT, "draconform_scheduler_nodes_given_up_total", budget)).To(Equal(before+1), budget)
	}
}
