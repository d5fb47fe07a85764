package specs

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceIsUsedUpExactly = suite.Spec{
	ID:       "shared-device-is-used-up-exactly",
	Sentence: "Of many pods that compete for shares of a device, exactly as many get one as its capacity allows, and another one for each that is deleted.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-capacity-not-exceeded",
		"5075-release-returns-capacity",
		"5075-slice-keeps-its-value",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		const because = "all 8 slots are in use"
		var pods []string
		for i := range 6 {
			pods = append(pods, fmt.Sprintf("user-%d", i))
			e.Start(ctx, pods[i], shareOf(stage, "nic", inSlots(2)))
		}
		// All pods become schedulable at the same time, so that the scheduler
		// handles each one before the previous ones are bound.
		e.AllRefused(ctx, "there is no device", pods...)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nic.yaml"))

		got, waiting := someScheduled(ctx, e, pods, 4)
		e.AllRefused(ctx, because, waiting...)

		// The pod ends. Its claim still exists, but is deallocated.
		e.Ended(ctx, got[0])
		e.Freed(ctx, got[0])
		got, waiting = someScheduled(ctx, e, slices.Concat(got[1:], waiting), 4)
		e.AllRefused(ctx, because, waiting...)

		// Allocating a share does not change the ResourceSlice.
		inventory, err := e.Inventory(ctx)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		device, _ := inventory.Device(e.Scheduled(ctx, got[0])[0])
		total := device.Capacity["slots"].Value
		gomega.Expect(total.Value()).To(gomega.Equal(int64(8)), "the slice should still state all slots")
	},
}

// someScheduled waits until the wanted number of pods is scheduled. It asserts
// that no more pods are scheduled, and checks each of them like
// [suite.Env.Scheduled]. It returns the scheduled pods and the others.
func someScheduled(ctx context.Context, e *suite.Env, pods []string, want int) (got, others []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %d of the pods %v are scheduled", want, pods))
	gomega.Eventually(ctx, func(ctx context.Context) (_ []string, err error) {
		got, others, err = whoIsScheduled(ctx, e, pods)
		return got, err
	}).WithTimeout(e.Timeouts.Run).Should(gomega.WithTransform(func(got []string) int { return len(got) }, gomega.BeNumerically(">=", want)), "%d pods should be scheduled, because the device has enough for them", want)
	for _, name := range got {
		e.Scheduled(ctx, name)
	}
	gomega.Expect(got).To(gomega.HaveLen(want), "no more pods should be scheduled than the device has enough for")
	return got, others
}

// whoIsScheduled returns the pods that are bound to a node, and the others.
func whoIsScheduled(ctx context.Context, e *suite.Env, pods []string) (got, others []string, err error) {
	all, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for _, name := range pods {
		if slices.ContainsFunc(all.Items, func(pod corev1.Pod) bool { return pod.Name == name && pod.Spec.NodeName != "" }) {
			got = append(got, name)
		} else {
			others = append(others, name)
		}
	}
	return got, others, nil
}
