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
func (e *Env) Traveller(ctx context.Context, name string, device subject.Device) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := e.Claim(ctx, name, Devices([]Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = e.Pod(ctx, name, PodOptions{Restarts: true}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.Runs(ctx, name)
	e.Keep(ctx, name)
}

// Keep adds pods to those that are checked after every step of a journey. The
// pods must be running, or scheduled on a stage. No change of the cluster may
// affect them or their current devices.
func (e *Env) Keep(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	now, err := e.look(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, name := range names {
		pod, ok := now.pods[name]
		gomega.Expect(ok).To(gomega.BeTrue(), "there should be a pod %s to keep", name)
		k := keptPod{name: name, node: pod.Spec.NodeName, uid: pod.UID, allocations: map[string]*resourceapi.AllocationResult{}}
		if pod.Status.Phase == corev1.PodRunning {
			k.container = e.Container(ctx, name).ID
		}
		for _, name := range claimNames(&pod) {
			claim := now.claims[name]
			k.devices = append(k.devices, audit.Allocated(&claim)...)
			k.allocations[name] = claim.Status.Allocation
		}
		e.kept.pods = append(e.kept.pods, k)
	}
}

// LetGo removes pods from the checks. It is called before the pods are deleted.
func (e *Env) LetGo(names ...string) {
	e.kept.pods = slices.DeleteFunc(e.kept.pods, func(k keptPod) bool { return slices.Contains(names, k.name) })
}

// asItWas asserts that the kept pods are unchanged. After a change it also
// kills the container of one of these pods, and asserts that the container
// restarts with its devices.
func (e *Env) asItWas(ctx context.Context, changer Changer, changed bool) {
	ginkgo.GinkgoHelper()
	var now world
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		now, err = e.look(ctx)
		return err
	}).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "the API server should answer")
	gomega.Expect(e.kept.changes(now)).To(gomega.BeEmpty(), "what the workloads have should be left alone")
	e.kept.seen = now
	for _, k := range e.kept.pods {
		if k.container != "" {
			e.Sees(ctx, k.name, "", k.devices)
		}
	}
	if changed {
		e.restartOne(ctx, changer)
	}
	e.NothingOverdrawn(ctx)
}

// restartOne kills the container of the kept pod with the fewest restarts.
func (e *Env) restartOne(ctx context.Context, changer Changer) {
	ginkgo.GinkgoHelper()
	k := e.kept.toRestart()
	if k == nil {
		return
	}
	ginkgo.By(fmt.Sprintf("ending the container of pod %s", k.name))
	before := e.Container(ctx, k.name)
	gomega.Expect(changer.KillContainer(ctx, before.Node, before.ID)).To(gomega.Succeed())
	// The pod keeps its devices even if ResourceSlices do not offer them any
	// more.
	e.anotherContainer(ctx, before, "its process ended")
	k.container = e.Container(ctx, k.name).ID
	k.restarts++
	e.Sees(ctx, k.name, "", k.devices)
}

// look reads the objects of the spec.
func (e *Env) look(ctx context.Context) (world, error) {
	pods, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return world{}, fmt.Errorf("list the pods of namespace %s: %w", e.Namespace, err)
	}
	claims, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return world{}, fmt.Errorf("list the claims of namespace %s: %w", e.Namespace, err)
	}
	others, err := e.others(ctx)
	return world{
		pods:   byName(pods.Items, func(p corev1.Pod) string { return p.Name }),
		claims: byName(claims.Items, func(c resourceapi.ResourceClaim) string { return c.Name }),
		others: others,
	}, err
}

// others returns the ResourceSlices of the spec's stage, and the spec's
// ResourceClaimTemplates and DeviceClasses.
func (e *Env) others(ctx context.Context) (map[string]other, error) {
	all := map[string]other{}
	published, err := e.slicesOf(ctx, e.stageDriver())
	if err != nil {
		return nil, err
	}
	for _, s := range published {
		all[sliceNamed(s.Name)] = other{s.UID, s.Spec}
	}
	templates, err := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the claim templates of namespace %s: %w", e.Namespace, err)
	}
	for _, t := range templates.Items {
		all["template "+t.Name] = other{t.UID, t.Spec}
	}
	classes, err := e.Client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the device classes: %w", err)
	}
	for _, c := range classes.Items {
		if slices.Contains(e.classes, c.Name) {
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
