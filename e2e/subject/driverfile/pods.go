// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Pods has what the pods of specs need in order to run in a cluster.
type Pods struct {
	// NodeSelector selects the nodes with devices of the driver, in addition to
	// kubernetes.io/os=linux. Default: all nodes.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations lists the tolerations of the nodes' taints. Default: none.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// Resources has the requests and limits of each container. Default: requests
	// of 10m CPU and 32Mi memory, and limits of 100m CPU and 64Mi memory.
	Resources *Resources `json:"resources,omitempty"`
	// RuntimeClassName is the name of a RuntimeClass. Default: none.
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
	// Image is the workload image in a registry that the nodes can reach.
	// Default: the image of the run.
	Image string `json:"image,omitempty"`
	// SecurityContext replaces the security context of the containers. Default:
	// one that the pod security standard "restricted" permits.
	SecurityContext *corev1.SecurityContext `json:"securityContext,omitempty"`
	// ImagePullSecrets lists the names of Secrets in the run's namespace.
	// Default: none.
	ImagePullSecrets []string `json:"imagePullSecrets,omitempty"`
	// Labels has labels of the pods. Default: only the labels of the run.
	Labels map[string]string `json:"labels,omitempty"`
}

// Resources has the requests and limits of a container.
type Resources struct {
	// Requests has the requested amounts, by the name of the resource.
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`
	// Limits has the maximum amounts, by the name of the resource.
	Limits map[corev1.ResourceName]resource.Quantity `json:"limits,omitempty"`
}
