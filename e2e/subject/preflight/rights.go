// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strings"

	authorizationapi "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// checkRights asks the API server whether the caller may do what a run does.
func (c *checker) checkRights() error {
	run := access.Run{Namespace: c.Namespace, Drivers: []*driverfile.Driver{c.file}, NodeAgent: c.NodeAgent}
	// The rights for one purpose are one finding.
	var purposes []string
	missing := map[string][]access.Right{}
	for _, right := range run.Rights() {
		allowed, err := c.isAllowed(right)
		if err != nil {
			return err
		}
		if allowed {
			continue
		}
		if missing[right.For] == nil {
			purposes = append(purposes, right.For)
		}
		missing[right.For] = append(missing[right.For], right)
	}
	lacks := false
	for _, purpose := range purposes {
		result := Warning
		if !missing[purpose][0].Optional {
			result, lacks = Problem, true
		}
		var texts []string
		for _, right := range missing[purpose] {
			texts = append(texts, right.String())
		}
		c.report(result, "rights", "", "not allowed to %s, which a run needs to %s: ask for the rights that \"draconform rbac\" prints", strings.Join(texts, ", "), purpose)
	}
	if !lacks {
		c.report(OK, "rights", "", "all that a run needs to do is allowed")
	}
	return nil
}

// isAllowed reports whether the caller has a right.
func (c *checker) isAllowed(right access.Right) (bool, error) {
	review := &authorizationapi.SelfSubjectAccessReview{Spec: authorizationapi.SelfSubjectAccessReviewSpec{}}
	if right.URL != "" {
		review.Spec.NonResourceAttributes = &authorizationapi.NonResourceAttributes{Path: right.URL, Verb: right.Verb}
	} else {
		resource, subresource, _ := strings.Cut(right.Resource, "/")
		review.Spec.ResourceAttributes = &authorizationapi.ResourceAttributes{
			Group: right.Group, Resource: resource, Subresource: subresource, Verb: right.Verb, Namespace: right.Namespace,
		}
	}
	answer, err := c.client.AuthorizationV1().SelfSubjectAccessReviews().Create(c.ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask whether it is allowed to %s: %w", right, err)
	}
	return answer.Status.Allowed, nil
}
