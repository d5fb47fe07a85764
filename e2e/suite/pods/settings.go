// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

// guestAnnotations keep autoscalers from changing the cluster because of a pod
// that exists for minutes. Scale-up would add nodes for pods that specs expect
// to be unschedulable. An eviction would fail the spec. A pod without a
// controller blocks scale-down in any case, unless it permits eviction. They also
// keep service meshes from adding a proxy to the pod, as guestLabels do.
var guestAnnotations = map[string]string{
	"cluster-autoscaler.kubernetes.io/pod-scale-up-delay": "1h",
	"cluster-autoscaler.kubernetes.io/safe-to-evict":      "false",
	"karpenter.sh/do-not-disrupt":                         "true",
	"linkerd.io/inject":                                   "disabled",
	"consul.hashicorp.com/connect-inject":                 "false",
}

// guestLabels keep service meshes from adding a proxy to a pod. It would keep the pod from
// ending, and its image may take long.
var guestLabels = map[string]string{
	"sidecar.istio.io/inject":   "false",
	"kuma.io/sidecar-injection": "disabled",
}

// defaultResources are the resources of the workload's containers if the driver
// file has none. The workload only prints its devices and waits. Many clusters
// reject pods without requests and limits.
var defaultResources = driverfile.Resources{
	Requests: amounts("10m", "32Mi"),
	Limits:   amounts("100m", "64Mi"),
}

func amounts(cpu, memory string) map[corev1.ResourceName]resource.Quantity {
	return map[corev1.ResourceName]resource.Quantity{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

// driversOf returns the drivers whose devices claims request. If the claims
// show none, these are the drivers whose devices the spec uses, so that a pod
// without claims runs where the others do.
func driversOf(e *env.Env, claims []resourceapi.DeviceClaim) []string {
	if drivers := driversIn(e, claims); len(drivers) > 0 {
		return drivers
	}
	return e.Subject.Drivers()
}

// driversIn returns the drivers of the subject whose devices claims request.
func driversIn(e *env.Env, claims []resourceapi.DeviceClaim) []string {
	var drivers []string
	add := func(class string) {
		if driver := e.Subject.DriverOfClass(class); driver != "" {
			drivers = append(drivers, driver)
		}
	}
	for _, claim := range claims {
		for _, request := range claim.Requests {
			if request.Exactly != nil {
				add(request.Exactly.DeviceClassName)
			}
			for _, alternative := range request.FirstAvailable {
				add(alternative.DeviceClassName)
			}
		}
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// applySettings changes a pod so that it can run among other workloads, with
// the devices that its claims request.
func applySettings(e *env.Env, pod *corev1.Pod, claims []resourceapi.DeviceClaim) error {
	settings, err := e.Subject.PodsOf(driversOf(e, claims)...)
	if err != nil {
		return err
	}
	pod.Annotations = maps.Clone(guestAnnotations)
	// The labels of the run identify the pod, so they take precedence.
	for _, more := range []map[string]string{settings.Labels, guestLabels} {
		for key, value := range more {
			if _, ok := pod.Labels[key]; !ok {
				pod.Labels[key] = value
			}
		}
	}
	pod.Spec.NodeSelector = map[string]string{corev1.LabelOSStable: string(corev1.Linux)}
	maps.Copy(pod.Spec.NodeSelector, settings.NodeSelector)
	pod.Spec.Tolerations = settings.Tolerations
	if settings.RuntimeClassName != "" {
		pod.Spec.RuntimeClassName = &settings.RuntimeClassName
	}
	for _, secret := range settings.ImagePullSecrets {
		pod.Spec.ImagePullSecrets = append(pod.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: secret})
	}
	container := &pod.Spec.Containers[0]
	container.Image = cmp.Or(settings.Image, container.Image)
	if settings.SecurityContext != nil {
		container.SecurityContext = settings.SecurityContext
	}
	resources := cmp.Or(settings.Resources, &defaultResources)
	container.Resources.Requests, container.Resources.Limits = maps.Clone(resources.Requests), maps.Clone(resources.Limits)
	return nil
}

// architectures returns a requirement that a node has one of the architectures
// of the workload image. It returns none if these are not known: an image of a
// driver file can be for other architectures than that of the run. Simulated
// nodes have no architecture.
func architectures(e *env.Env, pod *corev1.Pod) []corev1.NodeSelectorRequirement {
	if e.Guest == nil || e.PlacePod != nil || len(e.Guest.Architectures) == 0 || pod.Spec.Containers[0].Image != e.Workload {
		return nil
	}
	return []corev1.NodeSelectorRequirement{{Key: corev1.LabelArchStable, Operator: corev1.NodeSelectorOpIn, Values: e.Guest.Architectures}}
}
