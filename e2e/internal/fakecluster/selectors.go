// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/dynamic-resource-allocation/cel"
)

// compiled are the refusals of expressions that were compiled before: compiling takes longer
// than most requests.
var compiled sync.Map

// refusedSelectors returns the error of an API server about the selectors of a claim,
// template or class: an expression that does not compile, or that costs too much.
func refusedSelectors(object runtime.Object) error {
	switch object := object.(type) {
	case *resourceapi.ResourceClaim:
		return refusedRequests(object.Spec.Devices.Requests)
	case *resourceapi.ResourceClaimTemplate:
		return refusedRequests(object.Spec.Spec.Devices.Requests)
	case *resourceapi.DeviceClass:
		return refusedExpressions(object.Spec.Selectors)
	}
	return nil
}

func refusedRequests(requests []resourceapi.DeviceRequest) error {
	for _, request := range requests {
		if request.Exactly != nil {
			if err := refusedExpressions(request.Exactly.Selectors); err != nil {
				return err
			}
		}
		for _, alternative := range request.FirstAvailable {
			if err := refusedExpressions(alternative.Selectors); err != nil {
				return err
			}
		}
	}
	return nil
}

func refusedExpressions(selectors []resourceapi.DeviceSelector) error {
	for _, selector := range selectors {
		if selector.CEL == nil {
			continue
		}
		known, ok := compiled.Load(selector.CEL.Expression)
		if !ok {
			known, _ = compiled.LoadOrStore(selector.CEL.Expression, refusal(selector.CEL.Expression))
		}
		if text := known.(string); text != "" {
			return apierrors.NewBadRequest(text)
		}
	}
	return nil
}

// refusal states why an expression is refused. It is empty if it is not.
func refusal(expression string) string {
	result := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}).CompileCELExpression(expression, cel.Options{})
	switch {
	case result.Error != nil:
		return fmt.Sprintf("selector %s: %v", expression, result.Error)
	case result.MaxCost > resourceapi.CELSelectorExpressionMaxCost:
		return fmt.Sprintf("selector %s: too complex, exceeds the limit of costs", expression)
	}
	return ""
}
