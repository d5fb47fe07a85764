// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package number_test

import (
	"bytes"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/number"
)

// quantities draws integers, fractions, and numbers that only a resource.Quantity can represent.
var quantities = rapid.Custom(func(t *rapid.T) resource.Quantity {
	text := fmt.Sprintf("%d%s", rapid.Int64Range(-1_000_000_000_000_000, 1_000_000_000_000_000).Draw(t, "value"),
		rapid.SampledFrom([]string{"", "n", "u", "m", "k", "Ki", "M", "Gi", "E", "e25", ".5", ".125Gi"}).Draw(t, "suffix"))
	return resource.MustParse(text)
})

func TestArithmeticAgreesWithQuantity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		x, y := quantities.Draw(t, "x"), quantities.Draw(t, "y")
		a, b := number.From(x.DeepCopy()), number.From(y.DeepCopy())
		sum, difference := x.DeepCopy(), x.DeepCopy()
		sum.Add(y)
		difference.Sub(y)
		g.Expect(a.Cmp(b)).To(Equal(x.Cmp(y)), "%s <=> %s", &x, &y)
		g.Expect(a.Sign()).To(Equal(x.Sign()))
		for _, pair := range []struct {
			got  number.N
			want resource.Quantity
		}{{a, x}, {a.Add(b), sum}, {a.Sub(b), difference}, {a.Add(b).Sub(b), x}} {
			got := pair.got.Quantity()
			g.Expect(got.Cmp(pair.want)).To(BeZero(), "%s, %s: got %s, want %s", &x, &y, &got, &pair.want)
		}
		equal := bytes.Equal(a.AppendKey(nil), b.AppendKey(nil))
		g.Expect(equal).To(Equal(x.Cmp(y) == 0), "keys of %s and %s", &x, &y)
	})
}

func TestConversionDoesNotModifyTheQuantity(t *testing.T) {
	g := NewWithT(t)
	for _, text := range []string{"1", "1500m", "0.5Gi", "1e30"} {
		q := resource.MustParse(text)
		before := q
		number.From(q).Add(number.From(q)).Cmp(number.From(q))
		g.Expect(q).To(Equal(before), text)
	}
}
