// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strings"

	authorizationapi "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/access"
)

// checkRights asks the API server whether the caller may do what a run does.
func (c *checker) checkRights() error {
	lacks := false
	for _, right := range access.Rights(c.conditions()...) {
		missing, err := c.missing(right)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			continue
		}
		result := Problem
		if right.Optional {
			result = Warning
		} else {
			lacks = true
		}
		c.report(result, "rights", "", "not allowed to %s%s, which a run needs to %s: ask for these rights", strings.Join(missing, ", "), c.where(right), right.For)
	}
	if !lacks {
		c.report(OK, "rights", "", "all that a run needs to do is allowed")
	}
	return nil
}

// conditions returns what a run with the file does.
func (c *checker) conditions() []access.Condition {
	var all []access.Condition
	add := func(condition access.Condition, is bool) {
		if is {
			all = append(all, condition)
		}
	}
	add(access.OwnNamespace, c.Namespace == "")
	for _, u := range usesOf(c.file).all() {
		add(access.InlineClass, u.InlineClass != nil)
	}
	add(access.DaemonSet, c.file.DaemonSet != nil)
	add(access.AllowRestart, c.file.Allow.Restart)
	add(access.AllowUpdate, c.file.Allow.Update != nil)
	add(access.AllowLogs, c.file.Allow.Logs)
	return all
}

// missing returns which parts of a right the caller does not have.
func (c *checker) missing(right access.Right) ([]string, error) {
	var missing []string
	for _, spec := range right.Reviews(c.namespaceOf(right)) {
		review := &authorizationapi.SelfSubjectAccessReview{Spec: spec}
		answer, err := c.client.AuthorizationV1().SelfSubjectAccessReviews().Create(c.ctx, review, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("ask whether it is allowed to %s: %w", access.Describe(spec), err)
		}
		if !answer.Status.Allowed {
			missing = append(missing, access.Describe(spec))
		}
	}
	return missing, nil
}

// namespaceOf returns the namespace of a right. The namespace of a run that
// creates one is not known, so that the right is needed in all.
func (c *checker) namespaceOf(right access.Right) string {
	switch {
	case right.Scope == access.Driver && c.file.DaemonSet != nil:
		return c.file.DaemonSet.Namespace
	case right.Scope == access.Namespace:
		return c.Namespace
	}
	return ""
}

func (c *checker) where(right access.Right) string {
	switch namespace := c.namespaceOf(right); {
	case namespace != "":
		return " in namespace " + namespace
	case right.Scope == access.Namespace:
		return " in a new namespace"
	}
	return ""
}
