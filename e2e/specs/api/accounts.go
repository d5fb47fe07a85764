// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
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
	// Patches is set if the account may also patch the status of claims.
	Patches bool
	// Binds is set if the account may use the verb update on resourceclaims/binding in
	// the namespace of the spec, and BindsAll if it may do so in all namespaces.
	Binds, BindsAll bool
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
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "account %s should be able to update the status of claims without changes, because it has the right to update resourceclaims/status", a.Name)
	return &acting
}

// grant creates the roles of an account and binds them to the account.
func (a account) grant(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	meta := metav1.ObjectMeta{Name: a.Name, Namespace: e.Namespace, Labels: e.Labels}
	_, err := e.Client.RbacV1().Roles(e.Namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: a.rules()}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: e.Namespace, Name: a.Name}}
	_, err = e.Client.RbacV1().RoleBindings(e.Namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.Name}, Subjects: subjects,
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	if a.BindsAll {
		a.grantForAll(ctx, e, subjects)
	}
}
