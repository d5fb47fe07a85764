// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// low is below the priority of pods without a PriorityClass.
const low = -1000

// ofClass returns options for a pod with a PriorityClass. An empty class is the
// cluster's default. No kubelet would end the pod if it is evicted, so it has no
// grace period.
func ofClass(class string) pods.Options {
	return pods.Options{Change: func(pod *corev1.PodSpec) {
		pod.PriorityClassName, pod.TerminationGracePeriodSeconds = class, ptr.To[int64](0)
	}}
}

// large is [ofClass] for a pod that leaves no room for another one of its size on
// a simulated node.
func large(class string) pods.Options {
	options := ofClass(class)
	change := options.Change
	options.Change = func(pod *corev1.PodSpec) {
		change(pod)
		pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("40")}
	}
	return options
}

// findOutPreemption finds out whether the scheduler evicts a pod of a class of low priority for
// one that needs its room on a node. Neither has claims. A scheduler need not do so, or only as
// it is configured. What is expected of pods with claims does not apply to it then.
func findOutPreemption(ctx context.Context, e *env.Env, node, class string) {
	ginkgo.GinkgoHelper()
	create := func(name string, options pods.Options) {
		options.Node = node
		_, err := pods.Create(ctx, e, name, options)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
	create("minor", large(class))
	pods.WaitForScheduled(ctx, e, "minor")
	create("major", large(""))
	if !pods.IsEvicted(ctx, e, "minor") {
		e.NotApplicable(fmt.Sprintf("needs a scheduler that evicts pods of a low priority for others that need their room; pod minor was not deleted in %s, and neither pod has a claim", e.Timeouts.PodStart))
	}
	pods.WaitForScheduled(ctx, e, "major")
	pods.Delete(ctx, e, "major")
}
