package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
)

// Traveller starts a pod with a claim for one device, waits until it runs, and
// keeps it. Its container is killed after some of the steps, and must restart
// with the same device.
func (r *JourneyRun) Traveller(ctx context.Context, name string, device subject.Device) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := r.Claim(ctx, name, Devices([]Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = r.Pod(ctx, name, PodOptions{Restarts: true}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	r.Runs(ctx, name)
	r.Keep(ctx, name)
}

// Keep adds pods to those that are checked after every step of a journey. The
// pods must be running, or scheduled on a stage. No change of the cluster may
// affect them or their current devices.
func (r *JourneyRun) Keep(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	now, err := r.look(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, name := range names {
		pod, ok := now.pods[name]
		gomega.Expect(ok).To(gomega.BeTrue(), "there should be a pod %s to keep", name)
		k := keptPod{name: name, node: pod.Spec.NodeName, uid: pod.UID, allocations: map[string]*resourceapi.AllocationResult{}}
		if pod.Status.Phase == corev1.PodRunning {
			k.container = r.Container(ctx, name).ID
		}
		for _, name := range claimNames(&pod) {
			claim := now.claims[name]
			k.devices = append(k.devices, audit.Allocated(&claim)...)
			k.allocations[name] = claim.Status.Allocation
		}
		r.kept.pods = append(r.kept.pods, k)
	}
}

// LetGo removes pods from the checks. It is called before the pods are deleted.
func (r *JourneyRun) LetGo(names ...string) {
	r.kept.pods = slices.DeleteFunc(r.kept.pods, func(k keptPod) bool { return slices.Contains(names, k.name) })
}

// asItWas asserts that the kept pods are unchanged. After a change it also
// kills the container of one of these pods, and asserts that the container
// restarts with its devices.
func (r *JourneyRun) asItWas(ctx context.Context, changed bool) {
	ginkgo.GinkgoHelper()
	var now world
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		now, err = r.look(ctx)
		return err
	}).WithTimeout(r.Timeouts.Recover).Should(gomega.Succeed(), "the API server should answer")
	gomega.Expect(r.kept.changes(now)).To(gomega.BeEmpty(), "what the workloads have should be left alone")
	r.kept.seen = now
	for _, k := range r.kept.pods {
		if k.container != "" {
			r.Sees(ctx, k.name, "", k.devices)
		}
	}
	if changed {
		r.restartOne(ctx)
	}
	r.NothingOverdrawn(ctx)
}

// restartOne kills the container of the kept pod with the fewest restarts.
func (r *JourneyRun) restartOne(ctx context.Context) {
	ginkgo.GinkgoHelper()
	k := r.kept.toRestart()
	if k == nil {
		return
	}
	ginkgo.By(fmt.Sprintf("ending the container of pod %s", k.name))
	before := r.Container(ctx, k.name)
	gomega.Expect(r.Changer.KillContainer(ctx, before.Node, before.ID)).To(gomega.Succeed())
	// The pod keeps its devices even if ResourceSlices do not offer them any
	// more.
	r.anotherContainer(ctx, before, "its process ended")
	k.container = r.Container(ctx, k.name).ID
	k.restarts++
	r.Sees(ctx, k.name, "", k.devices)
}

// look reads the objects of the spec.
func (r *JourneyRun) look(ctx context.Context) (world, error) {
	pods, err := r.Client.CoreV1().Pods(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return world{}, fmt.Errorf("list the pods of namespace %s: %w", r.Namespace, err)
	}
	claims, err := r.Client.ResourceV1().ResourceClaims(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return world{}, fmt.Errorf("list the claims of namespace %s: %w", r.Namespace, err)
	}
	others, err := r.others(ctx)
	return world{
		pods:   byName(pods.Items, func(p corev1.Pod) string { return p.Name }),
		claims: byName(claims.Items, func(c resourceapi.ResourceClaim) string { return c.Name }),
		others: others,
	}, err
}

// others returns the ResourceSlices of the spec's stage, and the spec's
// ResourceClaimTemplates and DeviceClasses.
func (r *JourneyRun) others(ctx context.Context) (map[string]other, error) {
	all := map[string]other{}
	published, err := r.slicesOf(ctx, r.stageDriver())
	if err != nil {
		return nil, err
	}
	for _, s := range published {
		all[sliceNamed(s.Name)] = other{s.UID, s.Spec}
	}
	templates, err := r.Client.ResourceV1().ResourceClaimTemplates(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the claim templates of namespace %s: %w", r.Namespace, err)
	}
	for _, t := range templates.Items {
		all["template "+t.Name] = other{t.UID, t.Spec}
	}
	classes, err := r.Client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the device classes: %w", err)
	}
	for _, c := range classes.Items {
		if slices.Contains(r.DeviceClasses, c.Name) {
			all["class "+c.Name] = other{c.UID, c.Spec}
		}
	}
	return all, nil
}

// sliceNamed returns the key of a ResourceSlice in a [world].
func sliceNamed(name string) string { return "slice " + name }

func byName[T any](all []T, name func(T) string) map[string]T {
	m := map[string]T{}
	for _, object := range all {
		m[name(object)] = object
	}
	return m
}

// inJSON formats an object as JSON for messages.
func inJSON(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
