// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/fakedriver/install"
)

// CleanCluster removes the objects of runs from a cluster, as [Clean] does. The
// configuration of the provider is ignored. What cannot be removed does not keep
// the rest. The rights that are missing for it are in the error.
func (c CleanConfig) CleanCluster(ctx context.Context, client kubernetes.Interface) error {
	cleaner := cleaner{CleanConfig: c, client: client}
	cleaner.clean(ctx)
	return cleaner.err()
}

// cleaner removes the objects of runs from a cluster.
type cleaner struct {
	CleanConfig
	client  kubernetes.Interface
	errs    []error
	missing []access.Right
}

// clean removes labelled objects in namespaces that are not labelled, labelled
// cluster-scoped objects, and labelled namespaces with their content.
func (c *cleaner) clean(ctx context.Context) {
	var whole []string
	if c.Namespace == "" {
		found, err := namespaceKind(c.client).list(ctx, c.selector())
		c.failed("list", "list each namespace", err)
		for _, o := range found {
			whole = append(whole, o.Name)
		}
	}
	for _, kind := range namespacedKinds(c.client, c.Namespace) {
		// The content of a namespace is removed with it, once its Jobs have ended.
		c.cleanKind(ctx, kind, func(o object) bool { return !kind.first && slices.Contains(whole, o.Namespace) })
	}
	if c.Namespace != "" {
		return
	}
	classes, err := c.client.ResourceV1().DeviceClasses().List(ctx, c.selector())
	for _, kind := range clusterKinds(c.client) {
		c.cleanKind(ctx, kind, func(object) bool { return false })
	}
	if err != nil {
		return // Reported, as the kind cannot be listed either.
	}
	// The slices of a driver have no run label. The DeviceClass that is named
	// after the driver has one.
	for _, class := range classes.Items {
		if driver := class.Labels[install.DriverLabel]; driver != "" {
			c.cleanDriver(ctx, driver)
		}
	}
}

// cleanKind removes the objects of a kind but those that are kept.
func (c *cleaner) cleanKind(ctx context.Context, kind objectKind, kept func(object) bool) {
	found, err := kind.list(ctx, c.selector())
	c.failed("list", "list each "+kind.what, err)
	for _, o := range slices.DeleteFunc(found, kept) {
		c.try("delete", Leftover{Kind: kind.what, Namespace: o.Namespace, Name: o.Name}, func() error {
			// A controller may have removed it with its owner.
			return ignoreGone(kind.delete(ctx, o))
		})
	}
}

// cleanDriver removes what a fake driver has left on nodes and has published.
func (c *cleaner) cleanDriver(ctx context.Context, driver string) {
	c.try("delete", Leftover{Kind: "slices of driver", Name: driver}, func() error { return install.RemoveSlices(ctx, c.client, driver) })
	c.try("patch", Leftover{Kind: "node labels of driver", Name: driver}, func() error { return install.RemoveLabels(ctx, c.client, driver) })
}

// try removes something and records why that is not possible.
func (c *cleaner) try(verb string, what Leftover, do func() error) {
	c.failed(verb, "", c.remove(what, do))
}

// failed records the error of a request. what describes the request unless the
// error does.
func (c *cleaner) failed(verb, what string, err error) {
	if err == nil {
		return
	}
	if right, ok := access.Denied(verb, err); ok {
		if !slices.Contains(c.missing, right) {
			c.missing = append(c.missing, right)
		}
		return
	}
	if what != "" {
		err = fmt.Errorf("%s: %w", what, err)
	}
	c.errs = append(c.errs, err)
}

// err returns all errors. Those about rights are one sentence.
func (c *cleaner) err() error {
	if len(c.missing) > 0 {
		var texts []string
		for _, right := range c.missing {
			texts = append(texts, right.String())
		}
		advice := `grant the rights that "draconform rbac --clean" prints`
		if c.Namespace == "" {
			advice += ", or clean single namespaces with --namespace"
		} else {
			advice += " with --namespace " + c.Namespace
		}
		c.errs = append(c.errs, fmt.Errorf("not allowed to %s, so that such objects of runs may remain: %s", strings.Join(texts, ", "), advice))
	}
	return errors.Join(c.errs...)
}
