// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claim has the fields of a ResourceClaim of Kubernetes 1.31 that specs read.
type Claim struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Controller string `json:"controller"`
	} `json:"spec"`
	Status struct {
		Allocation            *Allocation `json:"allocation"`
		ReservedFor           []Consumer  `json:"reservedFor"`
		DeallocationRequested bool        `json:"deallocationRequested"`
	} `json:"status"`
}

// Allocation is the allocation of a claim.
type Allocation struct {
	NodeSelector *corev1.NodeSelector `json:"nodeSelector,omitempty"`
	Controller   string               `json:"controller,omitempty"`
}

// Consumer is a pod that a claim is reserved for.
type Consumer struct {
	Resource string `json:"resource"`
	Name     string `json:"name"`
	UID      string `json:"uid"`
}

// Context has the fields of a PodSchedulingContext that specs read.
type Context struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		SelectedNode   string   `json:"selectedNode"`
		PotentialNodes []string `json:"potentialNodes"`
	} `json:"spec"`
	Status struct {
		ResourceClaims []Answer `json:"resourceClaims"`
	} `json:"status"`
}

// Answer is what a driver says about a claim of a pod.
type Answer struct {
	// Name is the name of the claim in the pod.
	Name string `json:"name"`
	// UnsuitableNodes are the nodes for which the claim cannot be allocated.
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty"`
}
