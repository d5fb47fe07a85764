// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

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
