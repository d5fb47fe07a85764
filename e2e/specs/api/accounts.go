// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// authorizationFeatures are the features that specs of the authorization of
// writes of the status of claims need.
var authorizationFeatures = []features.Feature{features.Core, features.DeviceStatus, features.StatusAuthorization}

// account is a service account in the namespace of the spec. Unless its rights say
// otherwise, it may only read claims and update their status.
type account struct {
	// Name is the name of the account, and of the role that is bound to it.
	Name string
	// Node is the node on which the account acts, if set. The API server knows it
	// from the token of a pod.
	Node string
	// Verbs are the verbs that it may use on resourceclaims/driver.
	Verbs []string
	// Drivers are the drivers of which it may use them. Empty means all.
	Drivers []string
}

// actAs returns the environment of the spec for an account, which exists for the
// API server as soon as it has rights. It waits until the rights take effect, which
// the update of a claim without changes shows.
func actAs(ctx context.Context, e *env.Env, a account, claim string) *env.Env {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("granting account %s the verbs %v on resourceclaims/driver", a.Name, a.Verbs))
	a.grant(ctx, e)
	user := env.User{Name: "system:serviceaccount:" + e.Namespace + ":" + a.Name}
	if a.Node != "" {
		user.Extra = map[string][]string{"authentication.kubernetes.io/node-name": {a.Node}}
	}
	acting := *e
	var err error
	acting.Client, err = e.As(user)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return changeStatus(ctx, &acting, claim, func(*resourceapi.ResourceClaimStatus) {})
	}).WithTimeout(e.Timeouts.Unschedulable).Should(gomega.Succeed(), "account %s should be able to update the status of claims without changes, because it has the right to update resourceclaims/status", a.Name)
	return &acting
}

// grant creates the role of an account and binds it to the account.
func (a account) grant(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	meta := metav1.ObjectMeta{Name: a.Name, Namespace: e.Namespace, Labels: e.Labels}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims"}, Verbs: []string{"get"}},
		{APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/status"}, Verbs: []string{"update"}},
	}}
	if len(a.Verbs) > 0 {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{resourceapi.GroupName}, Resources: []string{"resourceclaims/driver"}, Verbs: a.Verbs, ResourceNames: a.Drivers,
		})
	}
	_, err := e.Client.RbacV1().Roles(e.Namespace).Create(ctx, role, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = e.Client.RbacV1().RoleBindings(e.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: e.Namespace, Name: a.Name}},
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// changeStatus changes the status of a claim as the user of the environment.
func changeStatus(ctx context.Context, e *env.Env, claim string, change func(*resourceapi.ResourceClaimStatus)) error {
	client := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := client.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&got.Status)
		_, err = client.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

// expectRefused asserts that a user lacked the right for an update of a field of the
// status, and that it was not stored.
func expectRefused(ctx context.Context, e *env.Env, claim, field string, change func(*resourceapi.ResourceClaimStatus), who string) {
	ginkgo.GinkgoHelper()
	before := claims.Get(ctx, e, claim).Status
	err := changeStatus(ctx, e, claim, change)
	gomega.Expect(err).To(gomega.HaveOccurred(), "%s should not be able to change %s of claim %s", who, field, claim)
	isRefusal := apierrors.IsForbidden(err)
	for _, invalid := range dryrun.InvalidFields(err) {
		isRefusal = isRefusal || strings.HasPrefix(invalid, field)
	}
	gomega.Expect(isRefusal).To(gomega.BeTrue(), "%s should be refused a change of %s of claim %s, because the right is missing: %v", who, field, claim, err)
	gomega.Expect(claims.Get(ctx, e, claim).Status).To(gomega.Equal(before), "the status of claim %s should not change, because the update was refused", claim)
}
