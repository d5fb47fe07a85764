// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reader is the part of a typed client that reads objects *T, of which List is a list.
type reader[Object, List any] interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (Object, error)
	List(ctx context.Context, options metav1.ListOptions) (List, error)
}

// GetExisting returns those of the named objects that exist, by name. items returns the
// objects of a list. Several names cost one request, as specs repeat it until all objects
// are as they should be.
func GetExisting[T, List any, Object interface {
	*T
	metav1.Object
}](ctx context.Context, client reader[Object, List], names []string, items func(List) []T) (map[string]Object, error) {
	existing := map[string]Object{}
	if len(names) == 1 {
		object, err := client.Get(ctx, names[0], metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return existing, nil
		}
		if err != nil {
			return nil, err
		}
		existing[names[0]] = object
		return existing, nil
	}
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	all := items(list)
	for i := range all {
		if object := Object(&all[i]); slices.Contains(names, object.GetName()) {
			existing[object.GetName()] = object
		}
	}
	return existing, nil
}
