package describe

import (
	"cmp"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// maxValidValues is the API's limit. Its constant is only defined in
// Kubernetes' internal API (CapacityRequestPolicyDiscreteMaxOptions).
const maxValidValues = 10

// checkPolicy checks the request policy of a capacity (KEP-5075). The API
// allows a policy only for a device with allowMultipleAllocations.
func checkPolicy(capacity resourceapi.DeviceCapacity, shared bool) error {
	policy := capacity.RequestPolicy
	switch {
	case policy == nil:
		return nil
	case !shared:
		return errors.New("has a requestPolicy, which requires allowMultipleAllocations")
	case policy.ValidValues != nil && policy.ValidRange != nil:
		return errors.New("has both validValues and validRange, at most 1 is allowed")
	case policy.Default == nil && (policy.ValidValues != nil || policy.ValidRange != nil):
		return errors.New("has no default, which validValues and validRange require")
	case policy.ValidRange != nil:
		return checkRange(*policy.ValidRange, *policy.Default, capacity.Value)
	case policy.ValidValues != nil:
		return checkValues(policy.ValidValues, *policy.Default, capacity.Value)
	default:
		return nil
	}
}

func checkValues(values []resource.Quantity, preset, total resource.Quantity) error {
	if err := atMost(len(values), maxValidValues, "validValues"); err != nil {
		return err
	}
	presetIsValid := false
	for i, value := range values {
		if i > 0 && value.Cmp(values[i-1]) <= 0 {
			return fmt.Errorf("validValues must ascend, %s follows %s", &value, &values[i-1])
		}
		presetIsValid = presetIsValid || value.Cmp(preset) == 0
	}
	if !presetIsValid {
		return fmt.Errorf("default %s is not among validValues", &preset)
	}
	return notAbove("the last of validValues", values[len(values)-1], "the capacity", total)
}

func checkRange(valid resourceapi.CapacityRequestPolicyRange, preset, total resource.Quantity) error {
	if valid.Min == nil {
		return errors.New("has no validRange.min, which is required")
	}
	highest := cmp.Or(valid.Max, &total)
	err := cmp.Or(
		notAbove("validRange.max", *highest, "the capacity", total),
		notAbove("validRange.min", *valid.Min, "the maximum", *highest),
		notAbove("validRange.min", *valid.Min, "the default", preset),
		notAbove("the default", preset, "the maximum", *highest),
	)
	if err != nil || valid.Step == nil {
		return err
	}
	if valid.Step.Sign() <= 0 {
		return fmt.Errorf("validRange.step is %s, it must be more than 0", valid.Step)
	}
	first := valid.Min.DeepCopy()
	first.Add(*valid.Step)
	return cmp.Or(
		notAbove("validRange.min and one step", first, "the capacity", total),
		onStep("the default", preset, valid),
		onStep("the maximum", *cmp.Or(valid.Max, valid.Min), valid),
	)
}

// onStep checks that a value is the minimum plus a multiple of the step. It
// computes with integers, as the API does by default.
func onStep(what string, value resource.Quantity, valid resourceapi.CapacityRequestPolicyRange) error {
	above := value.DeepCopy()
	above.Sub(*valid.Min)
	if above.Value()%valid.Step.Value() != 0 {
		return fmt.Errorf("%s %s is not a number of steps of %s above %s", what, &value, valid.Step, valid.Min)
	}
	return nil
}

func notAbove(what string, value resource.Quantity, than string, limit resource.Quantity) error {
	if value.Cmp(limit) > 0 {
		return fmt.Errorf("%s %s is above %s %s", what, &value, than, &limit)
	}
	return nil
}
