// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/utils/ptr"
)

// NodeWrite is a write of a kubelet that the API server admits or not.
type NodeWrite struct {
	// Node is the node of the kubelet.
	Node string
	// Resource is the resource of what is written, with its subresource, and Name its name.
	Resource, Name string
	// Slice is a new ResourceSlice.
	Slice *resourceapi.ResourceSlice
	// Pod is a new pod, or the stored one whose status is written.
	Pod *corev1.Pod
	// ReplacesClaims is set if the generated claims in the status of the pod differ.
	ReplacesClaims bool
}

// isAdmitted reports whether the admission plugin NodeRestriction admits a write.
func (w *NodeWrite) isAdmitted() bool {
	switch w.Resource {
	case "nodes":
		return w.Name == w.Node
	case "resourceslices":
		return ptr.Deref(w.Slice.Spec.NodeName, "") == w.Node
	case "pods":
		_, isMirror := w.Pod.Annotations[corev1.MirrorPodAnnotationKey]
		return isMirror && w.Pod.Spec.NodeName == w.Node && len(w.Pod.Spec.ResourceClaims) == 0
	}
	return w.Pod.Spec.NodeName == w.Node && !w.ReplacesClaims
}

// nodeClient is a client that acts as the kubelet of a node. The API server restricts its
// writes. They must be dry runs.
type nodeClient struct {
	client
	node string
}

// admit returns an error if the API server does not admit a write of the kubelet.
func (n nodeClient) admit(w *NodeWrite) error {
	w.Node = n.node
	admitted := w.isAdmitted()
	if n.cluster.Mistakes.MisadmitsNodes != nil {
		admitted = n.cluster.Mistakes.MisadmitsNodes(w, admitted)
	}
	if admitted {
		return nil
	}
	return apierrors.NewForbidden(schema.GroupResource{Resource: w.Resource}, w.Name, errors.New("node "+n.node+" may not write it"))
}

func (n nodeClient) CoreV1() typedcorev1.CoreV1Interface { return nodeCore{n.client.CoreV1(), n} }

func (n nodeClient) ResourceV1() typedresourcev1.ResourceV1Interface {
	return nodeResources{n.client.ResourceV1(), n}
}

type nodeCore struct {
	typedcorev1.CoreV1Interface
	by nodeClient
}

func (c nodeCore) Nodes() typedcorev1.NodeInterface {
	return nodeNodes{c.CoreV1Interface.Nodes(), c.by}
}

func (c nodeCore) Pods(namespace string) typedcorev1.PodInterface {
	return nodePods{c.CoreV1Interface.Pods(namespace), c.by}
}

type nodeNodes struct {
	typedcorev1.NodeInterface
	by nodeClient
}

// Get returns a Node if the user of the suite may act as a kubelet.
func (n nodeNodes) Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.Node, error) {
	if n.by.cluster.WithoutImpersonation {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "users"}, "system:node:"+n.by.node, errors.New("cannot impersonate it"))
	}
	return n.NodeInterface.Get(ctx, name, options)
}

// Patch admits a patch of a Node, or not.
func (n nodeNodes) Patch(ctx context.Context, name string, _ types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Node, error) {
	if err := n.by.admit(&NodeWrite{Resource: "nodes", Name: name}); err != nil {
		return nil, err
	}
	return n.NodeInterface.Get(ctx, name, metav1.GetOptions{})
}

type nodePods struct {
	typedcorev1.PodInterface
	by nodeClient
}

func (p nodePods) Create(ctx context.Context, pod *corev1.Pod, options metav1.CreateOptions) (*corev1.Pod, error) {
	if err := p.by.admit(&NodeWrite{Resource: "pods", Name: pod.Name, Pod: pod}); err != nil {
		return nil, err
	}
	return p.PodInterface.Create(ctx, pod, options)
}

// Patch patches the status of a pod.
func (p nodePods) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*corev1.Pod, error) {
	pod, err := p.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var patch corev1.Pod
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	written := patch.Status.ResourceClaimStatuses
	w := &NodeWrite{Resource: "pods/status", Name: name, Pod: pod, ReplacesClaims: written != nil && !equality.Semantic.DeepEqual(written, pod.Status.ResourceClaimStatuses)}
	if err := p.by.admit(w); err != nil {
		return nil, err
	}
	return p.PodInterface.Patch(ctx, name, kind, data, options, subresources...)
}

type nodeResources struct {
	typedresourcev1.ResourceV1Interface
	by nodeClient
}

func (r nodeResources) ResourceSlices() typedresourcev1.ResourceSliceInterface {
	return nodeSlices{r.ResourceV1Interface.ResourceSlices(), r.by}
}

type nodeSlices struct {
	typedresourcev1.ResourceSliceInterface
	by nodeClient
}

func (s nodeSlices) Create(ctx context.Context, slice *resourceapi.ResourceSlice, options metav1.CreateOptions) (*resourceapi.ResourceSlice, error) {
	if err := s.by.admit(&NodeWrite{Resource: "resourceslices", Name: slice.Name, Slice: slice}); err != nil {
		return nil, err
	}
	return s.ResourceSliceInterface.Create(ctx, slice, options)
}
