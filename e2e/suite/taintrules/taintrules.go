// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package taintrules creates, reads, changes, lists and deletes DeviceTaintRules in the version
// of the API in which a cluster serves them (KEP-5055).
package taintrules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/features"
)

// errNotServed is the error of a cluster that serves DeviceTaintRules in no
// version.
var errNotServed = errors.New("the API server serves DeviceTaintRules in no version")

// Create creates a rule.
func Create(ctx context.Context, client kubernetes.Interface, rule *resourceapi.DeviceTaintRule) error {
	rules, err := required(client)
	if err != nil {
		return fmt.Errorf("create device taint rule %s: %w", rule.Name, err)
	}
	_, err = rules.create(ctx, rule, metav1.CreateOptions{})
	return err
}

// DryRunCreate creates a rule as a dry run. It returns the rule as the API server would
// store it.
func DryRunCreate(ctx context.Context, client kubernetes.Interface, rule *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error) {
	rules, err := served(client)
	if err == nil && rules == nil {
		err = errNotServed
	}
	if err != nil {
		return nil, err
	}
	return rules.create(ctx, rule, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// Update changes the spec of the rule with a name. The controller that evicts pods
// writes the status of rules, so that there may be conflicts.
func Update(ctx context.Context, client kubernetes.Interface, name string, change func(*resourceapi.DeviceTaintRuleSpec)) error {
	rules, err := required(client)
	if err == nil {
		err = retry.RetryOnConflict(retry.DefaultBackoff, func() error { return rules.update(ctx, name, change) })
	}
	if err != nil {
		return fmt.Errorf("update device taint rule %s: %w", name, err)
	}
	return nil
}

// Get returns the rule with a name.
func Get(ctx context.Context, client kubernetes.Interface, name string) (*resourceapi.DeviceTaintRule, error) {
	rules, err := required(client)
	if err != nil {
		return nil, fmt.Errorf("get device taint rule %s: %w", name, err)
	}
	return rules.get(ctx, name)
}

// List lists the selected rules. In a cluster that does not serve them there
// are none.
func List(ctx context.Context, client kubernetes.Interface, selected metav1.ListOptions) (*resourceapi.DeviceTaintRuleList, error) {
	return Lister(client, selected)(ctx)
}

// Lister returns [List] for the selected rules. It asks for the served version only once, and
// again if that is not served any more.
func Lister(client kubernetes.Interface, selected metav1.ListOptions) func(context.Context) (*resourceapi.DeviceTaintRuleList, error) {
	var rules *api
	return func(ctx context.Context) (*resourceapi.DeviceTaintRuleList, error) {
		if rules != nil {
			list, err := rules.list(ctx, selected)
			if !apierrors.IsNotFound(err) {
				return list, err
			}
		}
		var err error
		if rules, err = served(client); err != nil || rules == nil {
			return &resourceapi.DeviceTaintRuleList{}, err
		}
		return rules.list(ctx, selected)
	}
}

// IsServed reports whether a cluster serves rules. It may store some even if it
// does not.
func IsServed(client kubernetes.Interface) (bool, error) {
	rules, err := served(client)
	return rules != nil, err
}

// Delete deletes the rule with a name.
func Delete(ctx context.Context, client kubernetes.Interface, name string, options metav1.DeleteOptions) error {
	rules, err := required(client)
	if err != nil {
		return fmt.Errorf("delete device taint rule %s: %w", name, err)
	}
	return rules.delete(ctx, name, options)
}

// api are the requests of a version of the API.
type api struct {
	create func(context.Context, *resourceapi.DeviceTaintRule, metav1.CreateOptions) (*resourceapi.DeviceTaintRule, error)
	get    func(ctx context.Context, name string) (*resourceapi.DeviceTaintRule, error)
	update func(ctx context.Context, name string, change func(*resourceapi.DeviceTaintRuleSpec)) error
	list   func(context.Context, metav1.ListOptions) (*resourceapi.DeviceTaintRuleList, error)
	delete func(context.Context, string, metav1.DeleteOptions) error
}

// served returns the requests of the newest served version, or nil if there is
// none.
func served(client kubernetes.Interface) (*api, error) {
	version, err := features.TaintRuleVersion(client.Discovery())
	if err != nil {
		return nil, err
	}
	switch version {
	case resourceapi.SchemeGroupVersion:
		return apiOf[resourceapi.DeviceTaintRule, *resourceapi.DeviceTaintRuleList](client.ResourceV1().DeviceTaintRules()), nil
	case resourcev1beta2.SchemeGroupVersion:
		return apiOf[resourcev1beta2.DeviceTaintRule, *resourcev1beta2.DeviceTaintRuleList](client.ResourceV1beta2().DeviceTaintRules()), nil
	case resourcev1alpha3.SchemeGroupVersion:
		return apiOf[resourcev1alpha3.DeviceTaintRule, *resourcev1alpha3.DeviceTaintRuleList](client.ResourceV1alpha3().DeviceTaintRules()), nil
	}
	return nil, nil
}

// required is [served] for a request that fails if there is none.
func required(client kubernetes.Interface) (*api, error) {
	rules, err := served(client)
	if err == nil && rules == nil {
		err = errNotServed
	}
	return rules, err
}

// typed is the typed client of a version.
type typed[T any, L runtime.Object] interface {
	Create(context.Context, *T, metav1.CreateOptions) (*T, error)
	Get(context.Context, string, metav1.GetOptions) (*T, error)
	Update(context.Context, *T, metav1.UpdateOptions) (*T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// apiOf returns the requests by a typed client. All versions have the same
// fields, so that JSON converts between them.
func apiOf[T any, L runtime.Object](client typed[T, L]) *api {
	get := func(ctx context.Context, name string) (*resourceapi.DeviceTaintRule, error) {
		stored, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		rule := &resourceapi.DeviceTaintRule{}
		return rule, convert(stored, rule)
	}
	return &api{
		create: func(ctx context.Context, rule *resourceapi.DeviceTaintRule, options metav1.CreateOptions) (*resourceapi.DeviceTaintRule, error) {
			var converted T
			if err := convert(rule, &converted); err != nil {
				return nil, err
			}
			created, err := client.Create(ctx, &converted, options)
			if err != nil {
				return nil, err
			}
			stored := &resourceapi.DeviceTaintRule{}
			return stored, convert(created, stored)
		},
		get: get,
		update: func(ctx context.Context, name string, change func(*resourceapi.DeviceTaintRuleSpec)) error {
			rule, err := get(ctx, name)
			if err != nil {
				return err
			}
			change(&rule.Spec)
			var converted T
			if err := convert(rule, &converted); err != nil {
				return err
			}
			_, err = client.Update(ctx, &converted, metav1.UpdateOptions{})
			return err
		},
		list: func(ctx context.Context, selected metav1.ListOptions) (*resourceapi.DeviceTaintRuleList, error) {
			found, err := client.List(ctx, selected)
			if err != nil {
				return nil, err
			}
			all := &resourceapi.DeviceTaintRuleList{}
			return all, convert(found, all)
		},
		delete: client.Delete,
	}
}

func convert(from, to any) error {
	content, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(content, to)
	}
	if err != nil {
		return fmt.Errorf("convert device taint rules between versions of the API: %w", err)
	}
	return nil
}
