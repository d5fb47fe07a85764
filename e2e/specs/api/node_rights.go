// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	authorizationapi "k8s.io/api/authorization/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// nodeRequest is a request that a kubelet may make or not.
type nodeRequest struct {
	// Verb is the verb of the request, and Name the name of a ResourceSlice or, with Claims, of
	// a claim of the spec.
	Verb, Name string
	Claims     bool
	// OfNode is the node for which the field selector of a list selects ResourceSlices, if any.
	OfNode string
}

func (r nodeRequest) String() string {
	switch {
	case r.Claims && r.Name == "":
		return r.Verb + " all claims"
	case r.Claims:
		return r.Verb + " claim " + r.Name
	case r.Name != "":
		return r.Verb + " slice " + r.Name
	case r.OfNode != "":
		return r.Verb + " slices of node " + r.OfNode
	}
	return r.Verb + " all slices"
}

func (r nodeRequest) attributes(namespace string) *authorizationapi.ResourceAttributes {
	asked := &authorizationapi.ResourceAttributes{Group: resourceapi.GroupName, Version: "v1", Resource: "resourceslices", Verb: r.Verb, Name: r.Name}
	if r.Claims {
		asked.Resource, asked.Namespace = "resourceclaims", namespace
	}
	if r.OfNode != "" {
		asked.FieldSelector = &authorizationapi.FieldSelectorAttributes{Requirements: []metav1.FieldSelectorRequirement{
			{Key: resourceapi.ResourceSliceSelectorNodeName, Operator: metav1.FieldSelectorOpIn, Values: []string{r.OfNode}},
		}}
	}
	return asked
}

// mayNode asks the API server whether the kubelet of a node may make a request.
func mayNode(ctx context.Context, e *env.Env, node string, asked *authorizationapi.ResourceAttributes) (bool, error) {
	answer, err := e.Client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationapi.SubjectAccessReview{
		Spec: authorizationapi.SubjectAccessReviewSpec{User: "system:node:" + node, Groups: []string{"system:nodes", "system:authenticated"}, ResourceAttributes: asked},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for the rights of node %s: %w", node, err)
	}
	return answer.Status.Allowed, nil
}

// findOutNodeRights finds out whether the API server has a node authorizer: a kubelet may get its
// Node then, and cannot list secrets. What is expected of the rights of kubelets does not apply
// to other clusters.
func findOutNodeRights(ctx context.Context, e *env.Env, node string) {
	ginkgo.GinkgoHelper()
	getsNode, err := mayNode(ctx, e, node, &authorizationapi.ResourceAttributes{Version: "v1", Resource: "nodes", Verb: "get", Name: node})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	listsSecrets, err := mayNode(ctx, e, node, &authorizationapi.ResourceAttributes{Version: "v1", Resource: "secrets", Verb: "list"})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	if !getsNode || listsSecrets {
		e.NotApplicable(fmt.Sprintf("needs an API server that authorizes kubelets by their nodes; the user system:node:%s may get its node: %t, list all secrets: %t", node, getsNode, listsSecrets))
	}
}

// expectNodeMay waits until the kubelet of a node may make all of some requests. The API server
// may observe objects a little later.
func expectNodeMay(ctx context.Context, e *env.Env, node string, requests ...nodeRequest) {
	ginkgo.GinkgoHelper()
	for _, request := range requests {
		gomega.Eventually(ctx, func(ctx context.Context) (bool, error) {
			return mayNode(ctx, e, node, request.attributes(e.Namespace))
		}).WithTimeout(e.Timeouts.Response).Should(gomega.BeTrue(), "the kubelet of node %s should have the right to %s", node, request)
	}
}

// expectNodeMayNot asserts that the kubelet of a node may not make any of some requests.
func expectNodeMayNot(ctx context.Context, e *env.Env, node string, requests ...nodeRequest) {
	ginkgo.GinkgoHelper()
	for _, request := range requests {
		allowed, err := mayNode(ctx, e, node, request.attributes(e.Namespace))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(allowed).To(gomega.BeFalse(), "the kubelet of node %s should not have the right to %s", node, request)
	}
}
