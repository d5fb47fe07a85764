package diff_test

import (
	"context"
	"time"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/diff"
	"github.com/draconform/draconform/allocator/internal/problem"
)

// subject is the allocator under test.
var subject = diff.Implementation{Name: "draconform", New: allocator.NewAllocator}

// patience is far more than the subject may need for a problem of the
// generator.
const patience = 20 * time.Second

// ours lets the subject answer.
func ours(p *problem.Problem, node int) diff.Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return diff.Run(ctx, subject, p, p.Nodes[node])
}
