// Package search finds the first allocation in the documented order of devices, or proves that there is
// none.
//
// An allocation is a sequence of choices: for each request in order an alternative, and for each of its
// devices a position in the node's order of devices, ascending within a request. The first allocation is
// the lexicographically smallest such sequence that breaks no rule. Run first walks through the sequences one
// by one, looking at nothing it does not need, because most often the first ones lead to the end. If they do
// not, it evaluates everything there is to know and starts again with prunings, each of which only skips
// what holds no solution.
//
// Prunings may skip a device that makes an evaluation fail, and with it an error that the plain walk would
// have returned. So they are used only if nothing can fail; see canFail.
package search

import (
	"context"
	"errors"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// MaxResults is the number of devices a claim can hold (API: AllocationResultsMaxSize).
const MaxResults = 32

// ErrBudget is returned when the steps did not suffice to find an answer.
var ErrBudget = errors.New("the search for devices was given up")

// Problem is the question: can these claims be allocated on this node?
type Problem struct {
	Plan      *plan.Plan
	Node      *pools.Node
	Allocated *Allocated
	Features  structured.Features
	Fixes     Fixes
	// Affinity is the sharing affinity of devices. Nil ignores it.
	Affinity *Affinity
	// SkipsNodeOperations says that the node can do without node operations of drivers.
	SkipsNodeOperations bool
	// Memory keeps answers. It must be used with one allocated state, one set of features and one set of limits
	// only. Nil means to search every time.
	Memory *Memory
}

// Fixes are deviations from upstream where it is known to be wrong.
type Fixes struct {
	AdminAccessIgnoresCounters bool
	AllConflictIsNoFit         bool
	LiveShareBlocksDedicated   bool
	PoolErrorsStayOnNode       bool
}

// Limits bound a search.
type Limits struct {
	// Steps is how many choices are tried before giving up.
	Steps int
	// Skip leaves out prunings, for tests.
	Skip Pruning
	// PruneAtOnce leaves out the walks before, for tests.
	PruneAtOnce bool
}

// Answer is an allocation.
type Answer struct {
	// Alternatives is the alternative chosen for each request.
	Alternatives []int
	// Picks are the devices in the order of requests.
	Picks []Pick
}

// Pick is one device of an allocation.
type Pick struct {
	Alternative int
	Position    int // Word number times 64 plus bit.
	// Shared says that others may be allocated the device as well.
	Shared bool
	// Use is what is taken of a shared device.
	Use *selector.Use
}

// Stats says how much work a search was.
type Stats struct {
	// Steps is the number of choices tried.
	Steps int
}

// Run answers the question, and does not keep the problem. found is false if there is no allocation; the answer is only valid then.
// Errors are those that upstream finds on the same node, ErrBudget, and that of the context.
func Run(ctx context.Context, problem *Problem, limits Limits) (answer Answer, found bool, stats Stats, err error) {
	s := newSearcher(ctx, problem, limits)
	defer s.release()
	o, err := s.remembered()
	return o.answer, o.found && err == nil, Stats{Steps: s.steps}, err
}
