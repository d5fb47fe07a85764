// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	authorizationapi "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// NodeRequest is a request of a kubelet that the API server authorizes.
type NodeRequest struct {
	// Node is the node of the kubelet.
	Node string
	// Verb, Resource, Namespace and Name are those of the request.
	Verb, Resource, Namespace, Name string
	// OfNode is the node of the field selector spec.nodeName, if there is one.
	OfNode string
	// Slice is the ResourceSlice of the request, if it exists.
	Slice *resourceapi.ResourceSlice
	// Users are the pods on nodes that use the claim of the request.
	Users []*corev1.Pod
}

// reviewAccess answers whether a kubelet may make a request, like the node authorizer.
func (c *Cluster) reviewAccess(action clienttesting.Action) (bool, runtime.Object, error) {
	review := action.(clienttesting.CreateAction).GetObject().(*authorizationapi.SubjectAccessReview).DeepCopy()
	node, isNode := strings.CutPrefix(review.Spec.User, "system:node:")
	asked := review.Spec.ResourceAttributes
	if !isNode || !slices.Contains(review.Spec.Groups, "system:nodes") || asked == nil || c.WithoutNodeRights {
		return true, review, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &NodeRequest{Node: node, Verb: asked.Verb, Resource: asked.Resource, Namespace: asked.Namespace, Name: asked.Name}
	if selector := asked.FieldSelector; selector != nil {
		for _, requirement := range selector.Requirements {
			if requirement.Key == resourceapi.ResourceSliceSelectorNodeName {
				r.OfNode = requirement.Values[0]
			}
		}
	}
	if err := c.addObjects(r); err != nil {
		return true, nil, err
	}
	review.Status.Allowed = r.isAllowed()
	if c.Mistakes.MisauthorizesNodes != nil {
		review.Status.Allowed = c.Mistakes.MisauthorizesNodes(r, review.Status.Allowed)
	}
	return true, review, nil
}

// addObjects adds what a request is about.
func (c *Cluster) addObjects(r *NodeRequest) error {
	switch r.Resource {
	case slicesOf.Resource:
		all, err := c.slices()
		if i := slices.IndexFunc(all, func(s *resourceapi.ResourceSlice) bool { return s.Name == r.Name }); i >= 0 {
			r.Slice = all[i]
		}
		return err
	case claims.Resource:
		all, err := c.sharedPods()
		for _, pod := range all {
			if pod.Spec.NodeName != "" && slices.ContainsFunc(c.usesOf(pod), func(u use) bool { return u.claim == types.NamespacedName{Namespace: r.Namespace, Name: r.Name} }) {
				r.Users = append(r.Users, pod)
			}
		}
		return err
	}
	return nil
}

// isAllowed reports whether the node authorizer allows a request.
func (r *NodeRequest) isAllowed() bool {
	switch r.Resource {
	case nodesOf.Resource:
		return r.Verb == "get" && r.Name == r.Node
	case claims.Resource:
		return r.Verb == "get" && slices.ContainsFunc(r.Users, func(pod *corev1.Pod) bool { return pod.Spec.NodeName == r.Node })
	case slicesOf.Resource:
		if slices.Contains([]string{"list", "watch", "deletecollection"}, r.Verb) {
			return r.OfNode == r.Node
		}
		return r.Slice != nil && ptr.Deref(r.Slice.Spec.NodeName, "") == r.Node
	}
	return false
}
